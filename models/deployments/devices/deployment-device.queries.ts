import { type Page, toPage } from '../../../core/paging/page.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { DeviceStep } from '../deployment.types.js';

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

/** Devices that are on their way back, or were. */
export interface WayBack {
  readonly all: number;
  readonly open: number;
  readonly failed: number;
}

export const countWayBack = (tx: TenantTransaction, deploymentId: string): Promise<WayBack> =>
  devices(tx, deploymentId)
    .where('isRollback', '=', true)
    .select(({ fn }) => [
      fn.countAll<number>().as('all'),
      fn.countAll<number>().filterWhere('finishedAt', 'is', null).as('open'),
      fn.countAll<number>().filterWhere('step', '=', 'failed').as('failed'),
    ])
    .executeTakeFirstOrThrow();
