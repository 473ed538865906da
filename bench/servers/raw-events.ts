import { type AddressInfo, createServer, type Socket } from 'node:net';

/** The limit of event streams: one write of the same bytes to each raw connection, so many times a second. `raw-events FRAME RATE` */
const [frame, rate] = process.argv.slice(2) as [string, string];
const bytes = Buffer.from(frame);
const sockets = new Set<Socket>();
const server = createServer((socket) => {
  sockets.add(socket);
  socket.setNoDelay(true);
  socket.write(bytes);
  socket.on('error', () => undefined);
  socket.on('close', () => sockets.delete(socket));
  socket.resume();
});
setInterval(() => {
  for (const socket of sockets) socket.write(bytes);
}, 1000 / Number(rate));
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
);
