import { type Page, toPage } from '../../core/paging/page.js';
import { sql } from 'kysely';
import { anyOf } from '../orm/any-of.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { viewDeployment, type DeploymentView } from './deployment-view.rules.js';
import { isAllowed } from './deployment-state.rules.js';
import type { DeploymentRow, DeploymentStatus, StepCount } from './deployment.types.js';
import { listWaysBack, MAY_GO_BACK, MAY_GO_BACK_AGAIN } from './devices/rollback-devices.sql.js';

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
    .select(['p.measuredAt', 'p.measureTriedAt', 'p.counts'])
    .select(['p.attempt', 'p.requestedByName', 'p.createdBy', 'p.startedAt', 'p.finishedAt'])
    .select(['p.createdAt', 'p.updatedAt']);

export async function findDeploymentRow(tx: TenantTransaction, id: string): Promise<DeploymentRow | null> {
  return (await rows(tx).where('p.id', '=', id).executeTakeFirst()) ?? null;
}

/** With what its devices have come to, and what a rollback would do with them. */
export async function findDeployment(tx: TenantTransaction, id: string): Promise<DeploymentView | null> {
  const row = await findDeploymentRow(tx, id);
  if (!row) return null;
  const view = viewDeployment(row, await countStepsOf(tx, id));
  const rollback = isAllowed('rollback', row.status) ? await listWaysBack(tx, id, row.previousVersion) : [];
  return { ...view, rollback };
}

/** The same, as the durable work counted it when it looked last. */
export async function findCounted(tx: TenantTransaction, id: string): Promise<DeploymentView | null> {
  const found = await rows(tx).where('p.id', '=', id).execute();
  return (await viewCounted(tx, found))[0] ?? null;
}

/** Those that a version wrote which did not count them are counted here. */
async function viewCounted(
  tx: TenantTransaction,
  found: ReadonlyArray<DeploymentRow & { readonly counts: readonly StepCount[] | null }>,
): Promise<DeploymentView[]> {
  const uncounted = found.filter(({ counts }) => counts === null).map(({ id }) => id);
  const counted = uncounted.length === 0 ? new Map() : await countSteps(tx, uncounted);
  return found.map((row) => viewDeployment(row, row.counts ?? counted.get(row.id) ?? []));
}

/** Where the devices of a deployment are. */
export const countStepsOf = async (tx: TenantTransaction, id: string): Promise<readonly StepCount[]> =>
  (await countSteps(tx, [id])).get(id) ?? [];

async function countSteps(
  tx: TenantTransaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly StepCount[]>> {
  const counts = await tx.kysely
    .selectFrom('deployment_device')
    .where('tenantId', '=', tx.tenantId)
    .where('deploymentId', '=', anyOf(ids))
    .groupBy(['deploymentId', 'groupNo', 'step', 'failedStep'])
    .select(({ fn }) => ['deploymentId', 'groupNo', 'step', 'failedStep', fn.countAll<number>().as('count')])
    .orderBy('groupNo')
    .orderBy('step')
    .orderBy('failedStep')
    .execute();
  const found = Map.groupBy(counts, ({ deploymentId }) => deploymentId);
  return new Map(
    [...found].map(([id, ofOne]) => [id, ofOne.map(({ deploymentId: _, ...count }) => count)] as const),
  );
}

export interface DeploymentFilter {
  readonly status: DeploymentStatus | null;
  /** Name. */
  readonly model: string | null;
  /** Version of that model; null: whichever. */
  readonly version: number | null;
  /** Key of a device that takes part. */
  readonly device: string | null;
}

/** Newest first, each with where its devices were when the durable work looked last: none is counted here. */
export async function listDeployments(
  tx: TenantTransaction,
  query: { readonly page: number; readonly pageSize: number; readonly offset: number },
  { status, model, version, device }: DeploymentFilter,
): Promise<Page<DeploymentView>> {
  const matching = rows(tx)
    .$if(status !== null, (all) => all.where('p.status', '=', status as DeploymentStatus))
    .$if(model !== null, (all) => all.where('m.name', '=', model as string))
    .$if(version !== null, (all) => all.where('p.version', '=', version as number))
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
  return toPage(query, await viewCounted(tx, items), total);
}

/** A deployment `p` that is under way, or has not ended on its device `d`. */
const IS_OPEN = sql<boolean>`(p.status in ('PENDING', 'IN_PROGRESS', 'PAUSED', 'ROLLING_BACK') or p.is_watched
  or d.finished_at is null and d.device_id is not null)`;
const NAMED = sql<number[]>`array[p.version, p.previous_version, d.from_version, d.version]`;
/** Versions that a device `d` of a deployment `p` needs: that of one that has ended is needed by the devices that have it. */
const NEEDED = sql<number[]>`case when ${IS_OPEN} then ${NAMED}
  when p.status not in ('SUCCEEDED', 'FAILED') then array[]::int[]
  when ${sql.raw(MAY_GO_BACK)} then array[p.previous_version, d.from_version]
  when ${sql.raw(MAY_GO_BACK_AGAIN)} then array[d.version]
  else array[]::int[] end`;

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
    .crossJoinLateral(sql<{ version: number }>`unnest(${NEEDED})`.as<'n'>(sql`n(version)`))
    .where('p.tenantId', '=', tx.tenantId)
    .where('p.modelId', '=', modelId)
    .where('n.version', '=', anyOf(versions))
    // What is needed takes a look at later deployments of the device: few rows name these versions.
    .where(sql<boolean>`${NAMED} && ${versions}::int[]`)
    .select(['p.id', 'n.version'])
    .distinct()
    .execute();
  const users = Map.groupBy(found, ({ version }) => version);
  return new Map([...users].map(([version, all]) => [version, all.map(({ id }) => id)]));
}
