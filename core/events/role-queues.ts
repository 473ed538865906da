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
  /** Activities at once in one worker. */
  readonly slots: number;
}

/** The queues whose activities a worker of these roles runs. @param host name of its machine */
export const queuesOf = (roles: ReadonlySet<WorkerRole>, host: string): RoleQueue[] => [
  ...(roles.has('control') ? [{ name: CONTROL_QUEUE, slots: 50 }] : []),
  ...(roles.has('data')
    ? [
        { name: DATA_QUEUE, slots: 4 },
        { name: LONG_DATA_QUEUE, slots: 6 },
      ]
    : []),
  ...(roles.has('sync')
    ? [
        { name: SYNC_QUEUE, slots: 6 },
        // What waits for slow sources costs little: a few copies each, and most of them idle.
        { name: LONG_SYNC_QUEUE, slots: 24 },
      ]
    : []),
  ...(roles.has('host') ? [{ name: workloadQueue(host), slots: 50 }] : []),
];
