import { createServer } from 'node:net';

const DEADLINE_MS = 2000;

/** An address of this machine for the metrics of Temporal's library, which takes no port of its own choice. */
export function freeAddress(): Promise<string> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(`127.0.0.1:${typeof address === 'object' ? address?.port : 0}`));
    });
  });
}

/** What Temporal's library counts, as Prometheus reads it: slots, pollers, latencies, failed tasks. No label names a tenant. */
export async function sdkMetrics(address: string): Promise<string> {
  const answer = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(DEADLINE_MS) });
  if (!answer.ok) throw new Error(`the metrics of Temporal's library answered ${answer.status}`);
  return answer.text();
}
