import { type Page, toPage } from '../../core/paging/page.js';
import { sql } from 'kysely';
import { anyOf } from '../orm/any-of.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { viewDeployment, type DeploymentView } from './deployment-view.rules.js';
import type { DeploymentRow, DeploymentStatus, StepCount } from './deployment.types.js';
import { STILL_OURS } from './devices/second-try.sql.js';

const rows = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('deployment as p')
    .innerJoin('model as m', (join) =>
      join.onRef('m.tenantId', '=', 'p.tenantId').onRef('m.id', '=', 'p.modelId'),
    )
    .leftJoin('model_version as v', (join) =>
      join
        .onRef('v.tenantId', '=', 'p.tenantId')
        .onRef('v.modelId', '=', 'p.modelId')
        .onRef('v.version', '=', 'p.version'),
    )
    .where('p.tenantId', '=', tx.tenantId)
    .select([
      'v.licence',
      'm.name as modelName',
      'p.id',
      'p.modelId',
      'p.version',
      'p.previousVersion',
      'p.datasetDigest',
    ])
    .select(['p.targetDevice', 'p.targets', 'p.strategy', 'p.image', 'p.groups', 'p.maintenanceWindow'])
    .select(['p.rollbackOn', 'p.status', 'p.statusMessage', 'p.currentGroup', 'p.isWatched', 'p.wish'])
    .select(['p.attempt', 'p.requestedByName', 'p.createdBy', 'p.startedAt', 'p.finishedAt'])
    .select(['p.createdAt', 'p.updatedAt']);

export async function findDeploymentRow(tx: TenantTransaction, id: string): Promise<DeploymentRow | null> {
  return (await rows(tx).where('p.id', '=', id).executeTakeFirst()) ?? null;
}

/** With what its devices have come to. */
export async function findDeployment(tx: TenantTransaction, id: string): Promise<DeploymentView | null> {
  const row = await findDeploymentRow(tx, id);
  return row && viewDeployment(row, (await countSteps(tx, [id])).get(id) ?? []);
}

/** Where the devices of each of these deployments are. */
export async function countSteps(
  tx: TenantTransaction,
  ids: readonly string[],
): Promise<Map<string, StepCount[]>> {
  const counts = await tx.kysely
    .selectFrom('deployment_device')
    .where('tenantId', '=', tx.tenantId)
    .where('deploymentId', '=', anyOf(ids))
    .groupBy(['deploymentId', 'groupNo', 'step', 'failedStep'])
    .select(({ fn }) => ['deploymentId', 'groupNo', 'step', 'failedStep', fn.countAll<number>().as('count')])
    .execute();
  return Map.groupBy(counts, ({ deploymentId }) => deploymentId);
}

export interface DeploymentFilter {
  readonly status: DeploymentStatus | null;
  /** Name. */
  readonly model: string | null;
  /** Key of a device that takes part. */
  readonly device: string | null;
}

/** Newest first. */
export async function listDeployments(
  tx: TenantTransaction,
  query: { readonly page: number; readonly pageSize: number; readonly offset: number },
  { status, model, device }: DeploymentFilter,
): Promise<Page<DeploymentView>> {
  const matching = rows(tx)
    .$if(status !== null, (all) => all.where('p.status', '=', status as DeploymentStatus))
    .$if(model !== null, (all) => all.where('m.name', '=', model as string))
    .$if(device !== null, (all) =>
      all.where(({ exists, selectFrom }) =>
        exists(
          selectFrom('deployment_device as d')
            .whereRef('d.tenantId', '=', 'p.tenantId')
            .whereRef('d.deploymentId', '=', 'p.id')
            .where('d.deviceKey', '=', device as string)
            .select('d.id'),
        ),
      ),
    );
  const { total } = await matching
    .clearSelect()
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const items = await matching
    .orderBy('p.createdAt', 'desc')
    .orderBy('p.id')
    .limit(query.pageSize)
    .offset(query.offset)
    .execute();
  const counts = await countSteps(
    tx,
    items.map(({ id }) => id),
  );
  return toPage(
    query,
    items.map((row) => viewDeployment(row, counts.get(row.id) ?? [])),
    total,
  );
}

/** A deployment `p` that is under way, or has not ended on its device `d`. */
const IS_OPEN = sql<boolean>`(p.status in ('PENDING', 'IN_PROGRESS', 'PAUSED', 'ROLLING_BACK') or p.is_watched
  or d.finished_at is null and d.device_id is not null)`;
/** A device `d` that a rollback of its deployment, which has ended, would send back. */
const MAY_GO_BACK = sql<boolean>`p.status in ('SUCCEEDED', 'FAILED') and d.step <> 'canceled'
  and not d.is_rollback and d.device_id is not null and d.command_id is not null and ${sql.raw(STILL_OURS)}`;

/** Deployments that need one of these versions: those under way, and those whose rollback would bring one back. */
export async function deploymentsOfVersions(
  tx: TenantTransaction,
  modelId: string,
  versions: readonly number[],
): Promise<Map<number, string[]>> {
  const found = await tx.kysely
    .selectFrom('deployment as p')
    .innerJoin('deployment_device as d', (join) =>
      join.onRef('d.tenantId', '=', 'p.tenantId').onRef('d.deploymentId', '=', 'p.id'),
    )
    .where('p.tenantId', '=', tx.tenantId)
    .where('p.modelId', '=', modelId)
    .where((eb) => eb.or([IS_OPEN, MAY_GO_BACK]))
    .where((eb) =>
      eb.or([
        eb('p.version', '=', anyOf(versions)),
        eb('p.previousVersion', '=', anyOf(versions)),
        eb('d.fromVersion', '=', anyOf(versions)),
      ]),
    )
    .select(['p.id', 'p.previousVersion', 'd.fromVersion'])
    // Of one that has ended, the version is needed by the devices that have it.
    .select(sql<number | null>`case when ${IS_OPEN} then p.version end`.as('version'))
    .distinct()
    .execute();
  const users = new Map<number, string[]>();
  for (const { id, version, previousVersion, fromVersion } of found)
    for (const needed of new Set([version, previousVersion, fromVersion]))
      if (needed !== null && versions.includes(needed) && !users.get(needed)?.includes(id))
        users.set(needed, [...(users.get(needed) ?? []), id]);
  return users;
}
