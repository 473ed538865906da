import type { Logger } from '../../core/logging/logger.js';
import type { Clock } from '../../core/ports/clock.js';
import type { EventBus } from '../../core/ports/event-bus.js';
import { asTenantId } from '../../core/security/ids.js';
import { advanceDeployment } from '../../models/deployments/follow-up/advance-deployment.commands.js';
import { DeviceEvents } from '../../models/deployments/devices/device-events.js';
import { deploymentEvent } from '../../models/deployments/deployment-events.rules.js';
import { giveUpDeployment } from '../../models/deployments/follow-up/deployment-progress.commands.js';
import type { NextLook } from '../../models/deployments/deployment-state.rules.js';
import type { DeploymentRef } from '../../models/deployments/follow-up/deployment-work.types.js';
import { findCounted } from '../../models/deployments/deployment.queries.js';
import {
  measureConditions,
  type Measurement,
} from '../../models/deployments/follow-up/broken-condition.queries.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';

/** Each takes the deployment on from where its rows stand. Both are idempotent. */
export interface DeploymentActivities {
  /** Follows what people want and devices report, asks the next devices, and answers when to look again. */
  advanceDeployment(ref: DeploymentRef): Promise<NextLook>;
  /** What is under way has failed; devices that have not begun are not asked any more. */
  giveUpDeployment(ref: DeploymentRef, reason: string): Promise<void>;
}

export interface DeploymentDeps {
  readonly database: Database;
  readonly events: EventBus;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For one look at rollback conditions; default MEASURE_MS. */
  readonly measureMs?: number;
}

const MEASURE_MS = 20_000;

export function createDeploymentActivities({
  database,
  events,
  clock,
  logger,
  measureMs = MEASURE_MS,
}: DeploymentDeps): DeploymentActivities {
  /** Runs the work in a transaction, and publishes its events once that is committed. */
  const change = async <T>(
    { tenantId, deploymentId }: DeploymentRef,
    work: (tx: TenantTransaction, deviceEvents: DeviceEvents) => Promise<T>,
  ): Promise<T> => {
    const deviceEvents = new DeviceEvents(tenantId);
    const result = await database.inTenant(asTenantId(tenantId), (tx) => work(tx, deviceEvents));
    const view = await database.inTenant(asTenantId(tenantId), (tx) => findCounted(tx, deploymentId));
    events.publish([...deviceEvents.all, ...(view ? [deploymentEvent(tenantId, view)] : [])]);
    return result;
  };
  /** What cannot be measured in time is said, and devices are followed all the same. Any other failure is tried again. */
  const measure = async ({ tenantId, deploymentId }: DeploymentRef): Promise<Measurement | null> => {
    const at = clock.now();
    const look = (tx: TenantTransaction) => measureConditions(tx, deploymentId, at);
    const timeout = AbortSignal.timeout(measureMs);
    try {
      return await database.inTenant(asTenantId(tenantId), look, timeout);
    } catch (error) {
      if (!timeout.aborted) throw error;
      logger.warn({ err: error, deployment_id: deploymentId }, 'rollback conditions could not be measured');
      return { at, broken: null, tooFew: null, isLate: true };
    }
  };
  return {
    advanceDeployment: async (ref) => {
      const measured = await measure(ref);
      return change(ref, (tx, deviceEvents) =>
        advanceDeployment(tx, ref, clock.now(), measured, deviceEvents),
      );
    },
    giveUpDeployment: (ref, reason) =>
      change(ref, (tx, deviceEvents) => giveUpDeployment(tx, ref, reason, clock.now(), deviceEvents)),
  };
}
