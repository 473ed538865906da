import type { Deployment } from '../../../shared/deployments/queries';
import type { Order } from '../queries';

/** Statuses in which each order is offered; the platform refuses it in others. */
const OFFERED: Readonly<Record<Order, ReadonlyArray<Deployment['status']>>> = {
  pause: ['IN_PROGRESS'],
  resume: ['PAUSED'],
  abort: ['PENDING', 'IN_PROGRESS', 'PAUSED'],
  'retry-failed': ['FAILED'],
  rollback: ['SUCCEEDED', 'FAILED'],
};

export const isOffered = (order: Order, status: Deployment['status']): boolean =>
  OFFERED[order].includes(status);
