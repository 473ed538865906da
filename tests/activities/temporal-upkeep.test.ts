import { ScheduleNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openPorts } from '../../activities/support/ports.wiring.js';
import { createTemporalUpkeep } from '../../activities/system/installation.wiring.js';
import { takeSettings } from '../../core/config/settings.js';
import { createLogger } from '../../core/logging/logger.js';
import { MAINTENANCE_SCHEDULE } from '../../workflows/system/maintenance.contract.js';
import { testEnvironment } from '../setup/engines.js';

let environment: Awaited<ReturnType<typeof testEnvironment>>;
let ports: Awaited<ReturnType<typeof openPorts>>;
beforeAll(async () => {
  environment = await testEnvironment();
  const { logger } = createLogger({ level: 'fatal', name: 'test', file: null });
  ports = await openPorts(takeSettings(environment.env), logger);
});
afterAll(async () => {
  await ports?.close();
  await environment?.remove();
});

it('a worker brings the schedule of the housekeeping back to a Temporal that has lost its data', async () => {
  const schedule = ports.deps.engine.client.schedule.getHandle(MAINTENANCE_SCHEDULE);
  await expect(schedule.describe()).rejects.toBeInstanceOf(ScheduleNotFoundError);
  const stopping = new AbortController();
  const running = createTemporalUpkeep(ports.deps, 20).run(stopping.signal);
  for (let isThere = false; !isThere; )
    isThere = await schedule.describe().then(
      () => true,
      () => false,
    );
  stopping.abort();
  await running;
});
