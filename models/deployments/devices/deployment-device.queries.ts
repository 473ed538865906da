import { sql } from 'kysely';
import {
  type CappedPage,
  cappedWindow,
  type PlaceParams,
  readPlace,
  toCappedPage,
} from '../../../core/paging/capped-page.js';
import type { ListQuery } from '../../../core/paging/page.js';
import { countUpTo } from '../../orm/capped-list.js';
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

type DevicePlace = readonly [groupNo: number, deviceKey: string];

const isDevicePlace = (parts: unknown): parts is DevicePlace =>
  Array.isArray(parts) &&
  parts.length === 2 &&
  Number.isSafeInteger(parts[0]) &&
  typeof parts[1] === 'string';

const isBehind = ([groupNo, deviceKey]: DevicePlace) =>
  sql<boolean>`(group_no, device_key) > (${groupNo}::int, ${deviceKey}::text)`;

/**
 * By group and key.
 * @param step null: in any
 * @throws AppError unprocessable_entity for a bad `after` and for a numbered page beyond the matches that are counted
 */
export async function listDeploymentDevices(
  tx: TenantTransaction,
  deploymentId: string,
  query: ListQuery,
  params: PlaceParams,
  step: DeviceStep | null,
): Promise<CappedPage<DeploymentDeviceRow>> {
  const after = readPlace(params, isDevicePlace);
  const window = cappedWindow(query, after !== null);
  const matching = devices(tx, deploymentId).$if(step !== null, (all) =>
    all.where('step', '=', step as DeviceStep),
  );
  const rows = await matching
    .select(['id', 'deviceId', 'deviceKey', 'groupNo', 'fromVersion', 'version', 'isRollback', 'step'])
    .select(['progress', 'message', 'startedAt', 'finishedAt'])
    .$if(after !== null, (all) => all.where(isBehind(after as DevicePlace)))
    .orderBy('groupNo')
    .orderBy('deviceKey')
    .limit(window.limit)
    .offset(window.offset)
    .execute();
  const counted = await countUpTo(tx, matching.select('id'));
  return toCappedPage(query, window, { rows, counted }, ({ groupNo, deviceKey }) => [groupNo, deviceKey]);
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

/** Whether a device still has it to do, as may be after its end: devices that are at it then go on. */
export const hasOpenDevices = async (tx: TenantTransaction, deploymentId: string): Promise<boolean> =>
  (await devices(tx, deploymentId)
    .where('finishedAt', 'is', null)
    .where('deviceId', 'is not', null)
    .select('id')
    .limit(1)
    .executeTakeFirst()) !== undefined;

/** Devices that are to be asked, and were not yet. */
export const countQueued = async (tx: TenantTransaction, deploymentId: string): Promise<number> =>
  (
    await devices(tx, deploymentId)
      .where('step', '=', 'queued')
      .where('commandId', 'is', null)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count;

/** Devices that are on their way back, or were. */
export interface WayBack {
  readonly all: number;
  readonly open: number;
  readonly back: number;
  readonly failed: number;
}

export const countWayBack = (tx: TenantTransaction, deploymentId: string): Promise<WayBack> =>
  devices(tx, deploymentId)
    .where('isRollback', '=', true)
    .select(({ fn }) => [
      fn.countAll<number>().as('all'),
      fn.countAll<number>().filterWhere('finishedAt', 'is', null).as('open'),
      fn.countAll<number>().filterWhere('step', '=', 'succeeded').as('back'),
      fn.countAll<number>().filterWhere('step', '=', 'failed').as('failed'),
    ])
    .executeTakeFirstOrThrow();
