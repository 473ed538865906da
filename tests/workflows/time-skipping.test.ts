import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createMaintenanceActivities } from '../../activities/system/maintenance.activities.js';
import { unavailable } from '../../core/errors/app-error.js';
import { MAINTENANCE_WORKFLOW } from '../../workflows/system/maintenance.contract.js';
import type { Lab } from './support/lab.js';
import { onlyWhere } from '../setup/only-where.js';
import { noTimeSkipping, openTimeLab } from './support/time.js';

describe('workflows while time passes', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openTimeLab();
  });
  afterAll(() => lab.close());

  const run = async (activities: object) => {
    const stop = await lab.work(activities);
    try {
      const handle = await lab.start(MAINTENANCE_WORKFLOW, `maintenance:${randomUUID()}`, []);
      return await handle.result();
    } finally {
      await stop();
    }
  };

  const sitOut = async (outage: { tries: number; pauseS: number }) => {
    const failures = { left: outage.tries };
    const real = createMaintenanceActivities([{ name: 'expired-sessions', run: async () => 1 }]);
    const flaky = {
      ...real,
      listMaintenanceTasks: async () => {
        failures.left -= 1;
        if (failures.left >= 0)
          throw unavailable('The database cannot be reached right now.', undefined, outage.pauseS);
        return real.listMaintenanceTasks();
      },
    };
    const startedAt = performance.now();
    expect(await run(flaky)).toEqual({ removed: { 'expired-sessions': 1 } });
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(failures.left).toBe(-1);
  };

  it('sit out some seconds without a database', () => sitOut({ tries: 10, pauseS: 0.2 }));
  onlyWhere(noTimeSkipping)('sit out half an hour without a database', () =>
    sitOut({ tries: 60, pauseS: 30 }),
  );

  it('give a failing task up after three tries and run the next', async () => {
    const tries = { count: 0 };
    const broken = async () => {
      tries.count += 1;
      throw unavailable('The object store cannot be reached right now.');
    };
    const ran: string[] = [];
    const activities = createMaintenanceActivities([
      { name: 'broken', run: broken },
      { name: 'fine', run: async () => ran.push('fine') },
    ]);
    await expect(run(activities)).rejects.toMatchObject({ cause: { type: 'maintenance_failed' } });
    expect(tries.count).toBe(3);
    expect(ran).toEqual(['fine']);
  });
});
