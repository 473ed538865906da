import { createServer } from 'node:http';
import type { Registry } from 'prom-client';

const READY_WITHIN_MS = 2_000;

/** /livez, /readyz and /metrics of one process, on loopback only and apart from the public port. */
export async function startOpsServer(port: number, registry: Registry, ready: () => Promise<void>): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer((req, res) => {
    const answer = (status: number, body: string, type = 'text/plain; charset=utf-8') => res.writeHead(status, { 'Content-Type': type }).end(body);
    if (req.url === '/livez') return answer(200, 'ok\n');
    if (req.url === '/metrics') return void registry.metrics().then((text) => answer(200, text, registry.contentType));
    if (req.url === '/readyz') return void withDeadline(ready()).then(() => answer(200, 'ready\n'), (error: Error) => answer(503, `${error.message}\n`));
    return answer(404, 'not found\n');
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : port, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

function withDeadline(work: Promise<void>): Promise<void> {
  return Promise.race([work, new Promise<void>((_, reject) => setTimeout(() => reject(new Error('a dependency does not answer')), READY_WITHIN_MS).unref())]);
}
