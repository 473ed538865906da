import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';

/** The limit of a list: node:http and the same statements in the same kind of transaction, without sign-in and rights. */
const [url, tenantId, datasetKey, ...statements] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
];
const types = new pg.TypeOverrides();
types.setTypeParser(20, Number);
const pool = new pg.Pool({ connectionString: url, max: 10, types });

async function list(): Promise<string> {
  const client = await pool.connect();
  try {
    await client.query(`begin; set local app.tenant = '${tenantId}'`);
    const { rows } = await client.query(statements[0] as string, [tenantId, datasetKey]);
    const dataset = rows[0] as { id: string; file_count: number };
    const files = await client.query(statements[1] as string, [tenantId, dataset.id, 50, 0]);
    await client.query('commit');
    return JSON.stringify({ items: files.rows, total: dataset.file_count, page: 1, page_size: 50 });
  } finally {
    client.release();
  }
}

const server = createServer((_req, res) => {
  list().then(
    (body) =>
      res
        .writeHead(200, {
          'Content-Type': 'application/json; charset=utf-8',
          'Content-Length': Buffer.byteLength(body),
        })
        .end(body),
    (error: Error) => res.writeHead(500).end(error.message),
  );
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
