import type { HealthCheck, HealthFinding } from '../ports/health-check.js';

const DEADLINE_MS = 2000;
const TURN_MS = 100;

/**
 * Runs a check for at most two seconds of time in which this process listened. Turns are counted, not the clock: while the
 * process itself stands still (it loads code, the machine is full) answers wait in their sockets, and every component would
 * be called down at once.
 */
export async function runHealthCheck(check: HealthCheck): Promise<HealthFinding> {
  const abort = new AbortController();
  let turns: NodeJS.Timeout | undefined;
  const late = new Promise<HealthFinding>((resolve) => {
    let left = DEADLINE_MS / TURN_MS;
    turns = setInterval(() => {
      left -= 1;
      if (left > 0) return;
      abort.abort();
      resolve({ status: 'down', message: `No answer within ${DEADLINE_MS / 1000} s.` });
    }, TURN_MS);
  });
  try {
    return await Promise.race([check.run(abort.signal), late]);
  } catch (error) {
    return { status: 'down', message: error instanceof Error ? error.message : 'It failed.' };
  } finally {
    clearInterval(turns);
  }
}
