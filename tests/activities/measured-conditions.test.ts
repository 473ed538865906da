import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createDeploymentActivities } from '../../activities/deployments/deployment.activities.js';
import { unavailable } from '../../core/errors/app-error.js';
import { createLogger } from '../../core/logging/logger.js';
import { systemClock } from '../../core/ports/clock.js';
import type { Database } from '../../models/orm/in-tenant.js';

const { logger } = createLogger({ level: 'fatal', name: 'test', file: null });
const ref = { tenantId: randomUUID(), deploymentId: randomUUID(), attempt: 1 };

/** The first transaction measures; the second takes the deployment on. */
function activities(measure: (signal: AbortSignal) => Promise<never>, measureMs: number) {
  let isTakenOn = false;
  const database = {
    inTenant: (_tenant: string, _work: unknown, signal?: AbortSignal) => {
      if (signal) return measure(signal);
      isTakenOn = true;
      return Promise.resolve(null);
    },
  } as unknown as Database;
  const events = { publish: () => undefined, flush: async () => undefined };
  const { advanceDeployment } = createDeploymentActivities({
    ...{ database, events, clock: systemClock, logger, measureMs },
  });
  return { advance: () => advanceDeployment(ref), isTakenOn: () => isTakenOn };
}

describe('conditions of a deployment that could not be measured', () => {
  it('are no measurement where the database was away: it is tried again', async () => {
    const { advance, isTakenOn } = activities(() => Promise.reject(unavailable('Try again.')), 60_000);
    await expect(advance()).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(isTakenOn()).toBe(false);
  });

  it('leave devices followed where the time for it ran out', async () => {
    const late = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    const { advance, isTakenOn } = activities(late, 1);
    await advance();
    expect(isTakenOn()).toBe(true);
  });
});
