import { type Page, toPage } from '../../core/paging/page.js';
import type { Transaction, TenantTransaction } from '../orm/transaction.js';
import type { DeviceStep } from './deployment.types.js';

export interface DeploymentDeviceRow {
  readonly id: string;
  readonly deviceId: string | null;
  readonly deviceKey: string;
  readonly groupNo: number;
  readonly fromVersion: number | null;
  readonly version: number;
  readonly isRollback: boolean;
  readonly step: DeviceStep;
  readonly progress: number | null;
  readonly message: string | null;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}

const devices = (tx: TenantTransaction, deploymentId: string) =>
  tx.kysely
    .selectFrom('deployment_device')
    .where('tenantId', '=', tx.tenantId)
    .where('deploymentId', '=', deploymentId);

/** By group and key. @param step null: in any */
export async function listDeploymentDevices(
  tx: TenantTransaction,
  deploymentId: string,
  query: { readonly page: number; readonly pageSize: number; readonly offset: number },
  step: DeviceStep | null,
): Promise<Page<DeploymentDeviceRow>> {
  const matching = devices(tx, deploymentId).$if(step !== null, (all) =>
    all.where('step', '=', step as DeviceStep),
  );
  const { total } = await matching
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const items = await matching
    .select(['id', 'deviceId', 'deviceKey', 'groupNo', 'fromVersion', 'version', 'isRollback', 'step'])
    .select(['progress', 'message', 'startedAt', 'finishedAt'])
    .orderBy('groupNo')
    .orderBy('deviceKey')
    .limit(query.pageSize)
    .offset(query.offset)
    .execute();
  return toPage(query, items, total);
}

/** The device of a deployment that a command was written for. */
export const findByCommand = (
  tx: TenantTransaction,
  commandId: string,
): Promise<{ readonly id: string; readonly deploymentId: string } | undefined> =>
  tx.kysely
    .selectFrom('deployment_device')
    .where('tenantId', '=', tx.tenantId)
    .where('commandId', '=', commandId)
    .select(['id', 'deploymentId'])
    .executeTakeFirst();

/** How many of its devices have a version before, and how many are on their way back to it. */
export interface WayBack {
  readonly withPrevious: number;
  readonly goingBack: number;
  /** Of those, the ones that failed to. */
  readonly failing: number;
}

export const countWayBack = (tx: TenantTransaction, deploymentId: string): Promise<WayBack> =>
  devices(tx, deploymentId)
    .select(({ fn }) => [
      fn.count<number>('fromVersion').as('withPrevious'),
      fn.countAll<number>().filterWhere('isRollback', '=', true).as('goingBack'),
      fn
        .countAll<number>()
        .filterWhere(({ and, eb }) => and([eb('isRollback', '=', true), eb('step', '=', 'failed')]))
        .as('failing'),
    ])
    .executeTakeFirstOrThrow();

/** Another deployment of the model that one of these devices still has to do. */
export interface BusyDevice {
  readonly deviceKey: string;
  readonly deploymentId: string;
}

const BUSY = `
  select d.device_key, d.deployment_id
  from deployment_device d join deployment p on p.tenant_id = d.tenant_id and p.id = d.deployment_id
  where d.tenant_id = $1 and d.model_id = $2 and d.device_id = any($3::uuid[]) and d.finished_at is null
    and p.status in ('PENDING', 'IN_PROGRESS', 'PAUSED', 'ROLLING_BACK') and p.id is distinct from $4::uuid
  order by d.device_key limit 1`;

/** @param but this deployment does not count; null: all do */
export async function findBusyDevice(
  tx: Transaction,
  tenantId: string,
  modelId: string,
  deviceIds: readonly string[],
  but: string | null,
): Promise<BusyDevice | null> {
  return (await tx.rows<BusyDevice>(BUSY, [tenantId, modelId, deviceIds, but]))[0] ?? null;
}
