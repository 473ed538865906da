import { listenerUid } from './process-table.js';

const TIMEOUT_MS = 2_000;

/**
 * Whether the instance behind a port answers `GET /ping` with 200. With a uid given, the listening socket must belong
 * to it: a port that another tenant's process took over is not an endpoint of this one.
 */
export async function answersPing(address: string, port: number, uid: number | null): Promise<boolean> {
  if (uid !== null) {
    const owner = listenerUid(address, port);
    if (owner !== null && owner !== uid) return false;
  }
  try {
    const answer = await fetch(`http://${address}:${port}/ping`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'manual',
    });
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false;
  }
}
