import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The limit of held polls: node:http that answers nobody. */
const held = new Set<ServerResponse>();
const server = createServer((_req, res) => void held.add(res));
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
