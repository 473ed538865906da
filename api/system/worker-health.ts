import type { HealthCheck } from '../../core/ports/health-check.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { dispatchBacklog, listGivenUp } from '../../models/outbox/dispatch.platform.js';
import { PROCESS_LEASE_S } from '../../models/system/process-heartbeat.types.js';
import { type Heartbeat, listWorkers } from '../../models/system/processes.platform.js';

/** Entries are delivered within seconds; older ones mean that no worker delivers them. */
const BACKLOG_S = 60;

const aliveOf = (beats: readonly Heartbeat[]): Heartbeat[] =>
  beats.filter((beat) => beat.ageS <= PROCESS_LEASE_S);

/** Whether a worker is alive and durable work moves. */
export const workerCheck = (db: Database): HealthCheck => ({
  name: 'worker',
  hint: 'Start a worker, or read its log: durable work waits until one runs.',
  run: async () => {
    const beats = await listWorkers(db);
    const alive = aliveOf(beats);
    if (alive.length === 0) {
      const last = beats[0];
      return {
        status: 'down',
        message: last
          ? `No worker is alive; the last was seen ${Math.round(last.ageS)} s ago.`
          : 'No worker has been seen.',
      };
    }
    const backlog = await dispatchBacklog(db);
    if (backlog.oldestS > BACKLOG_S)
      return {
        status: 'degraded',
        message: `${alive.length} alive, but ${backlog.count} entries wait, the oldest for ${Math.round(backlog.oldestS)} s.`,
      };
    return { status: 'ok', message: `${alive.length} alive, ${backlog.count} entries waiting.` };
  },
});

const SHOWN = 3;

/** Durable work that was set aside, with the newest reasons. */
export const dispatchCheck = (db: Database): HealthCheck => ({
  name: 'dispatch',
  hint: 'Repair what the reasons name, then have it tried again: npm start -- retry-dispatch.',
  run: async () => {
    const { items, total } = await listGivenUp(db, SHOWN);
    if (total === 0) return { status: 'ok', message: 'Nothing was given up.' };
    const reasons = items
      .map((entry) => `${entry.kind} ${entry.workflowId ?? entry.id}: ${entry.reason}`)
      .join('; ');
    return {
      status: 'degraded',
      message: `${total} ${total === 1 ? 'entry was' : 'entries were'} given up after repeated refusals. Newest: ${reasons}`,
    };
  },
});
