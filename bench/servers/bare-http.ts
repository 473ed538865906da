import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The limit: node:http and nothing else, with a body as long as the answer it is compared with. */
const body = process.argv[2] ?? '{"message":"hello"}';
const server = createServer((_req, res) => {
  res.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  res.end(body);
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
