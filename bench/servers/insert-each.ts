import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';

/** What anybody would write for heartbeats: read the body, one durable insert for each request. `insert-each DATABASE_URL` */
const pool = new pg.Pool({ connectionString: process.argv[2], max: 10 });
const INSERT = {
  name: 'beat',
  text: `insert into plain_heartbeat (device, received_at, cpu, mem, disk, payload)
    values ($1, now(), $2, $3, $4, $5) returning received_at`,
};

const server = createServer(async (req, res) => {
  const pieces: Buffer[] = [];
  for await (const piece of req) pieces.push(piece as Buffer);
  const { cpu, mem, disk, payload } = JSON.parse(Buffer.concat(pieces).toString());
  const { rows } = await pool.query({
    ...INSERT,
    values: [req.headers['x-edge-token'], cpu, mem, disk, payload],
  });
  const body = JSON.stringify({ status: 'ok', ...rows[0] });
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  res.end(body);
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
