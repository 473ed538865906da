import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface GracefulStopOptions {
  /** How long everything is still served, until those who balance have seen that this process is not ready. */
  readonly waitMs: number;
  /** Ends the event streams, which would never end by themselves. */
  readonly endStreams: () => void;
}

const LOOK_EVERY_MS = 100;

/** Ends a server without breaking a request off: comes back when the last one is answered. */
export async function stopGracefully(
  server: Server,
  { waitMs, endStreams }: GracefulStopOptions,
): Promise<void> {
  // A client that kept its connection would send its next request here.
  for (const event of ['request', 'checkContinue'] as const)
    server.prependListener(event, (_req, res) => res.setHeader('Connection', 'close'));
  await sleep(waitMs);
  endStreams();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Connections that fall idle later: Node keeps them for their next request.
  const idle = setInterval(() => server.closeIdleConnections(), LOOK_EVERY_MS);
  await closed;
  clearInterval(idle);
}
