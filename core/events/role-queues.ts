import type { SlotQueue } from '../config/temporal-settings.js';
import type { WorkerRole } from '../config/worker-roles.js';
import {
  CONTROL_QUEUE,
  DATA_QUEUE,
  LONG_DATA_QUEUE,
  LONG_SYNC_QUEUE,
  SYNC_QUEUE,
  workloadQueue,
} from './task-queues.js';

export interface RoleQueue {
  readonly name: string;
  /** Under which the settings count its slots. */
  readonly slots: SlotQueue;
}

/** The queues whose activities a worker of these roles runs. @param host name of its machine */
export const queuesOf = (roles: ReadonlySet<WorkerRole>, host: string): RoleQueue[] => [
  ...(roles.has('control') ? [{ name: CONTROL_QUEUE, slots: 'control' as const }] : []),
  ...(roles.has('data')
    ? [
        { name: DATA_QUEUE, slots: 'data' as const },
        { name: LONG_DATA_QUEUE, slots: 'data-long' as const },
      ]
    : []),
  ...(roles.has('sync')
    ? [
        { name: SYNC_QUEUE, slots: 'sync' as const },
        { name: LONG_SYNC_QUEUE, slots: 'sync-long' as const },
      ]
    : []),
  ...(roles.has('host') ? [{ name: workloadQueue(host), slots: 'workload' as const }] : []),
];
