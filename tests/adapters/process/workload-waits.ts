import type { WorkloadRunner, WorkloadStatus } from '../../../core/ports/workload-runner.js';

/** Waits until the check gives something; @throws Error naming what was waited for */
export async function until<T>(
  what: string,
  check: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  timeoutMs = 20_000,
): Promise<T> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; ) {
    const found = await check();
    if (found) return found;
    await new Promise((done) => setTimeout(done, 30));
  }
  throw new Error(`Waited in vain for: ${what}`);
}

export const ended = (runner: WorkloadRunner, id: string, timeoutMs?: number): Promise<WorkloadStatus> =>
  until(
    `end of ${id}`,
    async () => {
      const status = await runner.status(id);
      return status !== null && ['succeeded', 'failed', 'stopped'].includes(status.phase) && status;
    },
    timeoutMs,
  );

/** Addresses of a service, once so many instances answer. */
export const endpoints = (runner: WorkloadRunner, id: string, count: number): Promise<readonly string[]> =>
  until(`${count} endpoints of ${id}`, async () => {
    const status = await runner.status(id);
    return status?.endpoints.length === count && status.endpoints;
  });
