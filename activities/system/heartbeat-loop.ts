import { hostname } from 'node:os';
import type { Database } from '../../models/orm/in-tenant.js';
import type { ProcessIdentity } from '../../models/system/process-heartbeat.types.js';
import { beat, forgetHeartbeat } from '../../models/system/processes.platform.js';
import { type BackgroundLoop, pause } from '../support/background.js';

const EVERY_MS = 5000;

/** Says every five seconds that this worker is alive. What runs workloads says so for itself (host-beat). */
export const createHeartbeatLoop = (database: Database): BackgroundLoop => ({
  name: 'heartbeat',
  run: async (signal) => {
    const who: ProcessIdentity = {
      process: 'worker',
      place: `${hostname()}:${process.pid}`,
      startedAt: new Date(),
    };
    while (!signal.aborted) {
      await beat(database, who);
      await pause(EVERY_MS, signal);
    }
    await forgetHeartbeat(database, who);
  },
});
