import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the range that the system gives out by itself, where engines and outgoing connections would take it again. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 30_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await new Promise<boolean>((resolve) =>
      server.once('listening', () => resolve(true)).once('error', () => resolve(false)),
    );
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
