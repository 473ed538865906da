import { sql } from 'kysely';
import { isInstalled } from '../registry/field-lineage.queries.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { ModelRow, ModelVersionRow } from '../registry/model.types.js';
import { findTrainingClasses } from '../registry/version.queries.js';
import { readableFrom } from '../tenants/retention.queries.js';
import { learnedClasses } from '../training/learned-classes.queries.js';
import { MEASURED, PERFORMANCE, UNJUDGED } from './model-metrics.sql.js';
import { OWN_SINCE } from './readable-inference.sql.js';

export interface VersionMetrics {
  readonly requests: number;
  readonly latencyP50Ms: number | null;
  readonly latencyP95Ms: number | null;
  readonly confidenceMean: number | null;
  /** Predictions of which feedback says whether they are right. */
  readonly judged: number;
  readonly accuracy: number | null;
}

/** Records name models: what was received before a version was made is of another model, which had the name before. */
type MeasuredVersion = Pick<ModelVersionRow, 'name' | 'version' | 'createdAt'>;

/** The later of two times. @param since null: none is asked for */
const notBefore = (madeAt: Date, since: Date | null): Date =>
  since === null || since < madeAt ? madeAt : since;

/**
 * What a version showed since a time.
 * @param from predictions that were received earlier are not judged, whenever feedback on them came
 */
export async function measureVersion(
  tx: TenantTransaction,
  { name, version, createdAt }: MeasuredVersion,
  since: Date,
  from: Date,
): Promise<VersionMetrics> {
  const params = [tx.tenantId, name, version, notBefore(createdAt, since), from];
  const [row] = await tx.rows<VersionMetrics>(MEASURED, params);
  return row as VersionMetrics;
}

/** Right predictions among those that feedback judges, in one step of time. */
export interface PerformancePoint {
  readonly at: Date;
  readonly version: number;
  readonly samples: number;
  readonly hits: number;
}

export async function readPerformance(
  tx: TenantTransaction,
  { name, createdAt }: Pick<ModelRow, 'name' | 'createdAt'>,
  asked: Date,
  stepS: number,
): Promise<{ points: PerformancePoint[]; unjudged: number }> {
  const since = notBefore(createdAt, asked);
  const points = await tx.rows<PerformancePoint>(PERFORMANCE, [tx.tenantId, name, since, stepS]);
  const [row] = await tx.rows<{ count: number }>(UNJUDGED, [tx.tenantId, name, since]);
  return { points, unjudged: row?.count ?? 0 };
}

const records = (tx: TenantTransaction, { name, version, createdAt }: MeasuredVersion, since: Date | null) =>
  tx.kysely
    .selectFrom('inference as i')
    .innerJoin('edge_device as e', (join) =>
      join.onRef('e.tenantId', '=', 'i.tenantId').onRef('e.number', '=', 'i.device'),
    )
    .where('i.tenantId', '=', tx.tenantId)
    .where('i.modelName', '=', name)
    .where('i.version', '=', version)
    .where('i.receivedAt', '>=', notBefore(createdAt, since))
    .where(
      'i.receivedAt',
      '>=',
      sql<Date>`coalesce(${sql.raw(OWN_SINCE)}, ${readableFrom(tx, 'inference')})`,
    );

/** More values than this add nothing to a distribution. */
const MAX_VALUES = 10_000;

/** Objects of a result, or none; the label of an object is a text or a number. */
const DETECTIONS = sql<unknown>`jsonb_array_elements(case jsonb_typeof(r.result->'detections')
  when 'array' then r.result->'detections' else '[]' end)`;
const LABEL = sql<string | null>`d.one->>'label'`;

/** Images by class, and objects by class for models that find several in an image. @param since null: all that is kept */
export async function countLabels(
  tx: TenantTransaction,
  version: MeasuredVersion,
  since: Date | null,
): Promise<Map<string, number>> {
  const whole = await records(tx, version, since)
    .where('i.label', 'is not', null)
    .groupBy('i.label')
    .select(({ fn }) => ['i.label', fn.countAll<number>().as('count')])
    .execute();
  // Records of whole images are counted by a column, those of objects by their documents: the latest of them.
  const latest = records(tx, version, since)
    .where('i.label', 'is', null)
    .orderBy('i.receivedAt', 'desc')
    .limit(MAX_VALUES)
    .select('i.result');
  const objects = await tx.kysely
    .selectFrom(latest.as('r'))
    .crossJoinLateral(DETECTIONS.as<'d'>(sql`d(one)`))
    .where(LABEL, 'is not', null)
    .groupBy(LABEL)
    .select(({ fn }) => [LABEL.as('label'), fn.countAll<number>().as('count')])
    .execute();
  const counts = new Map<string, number>();
  for (const { label, count } of [...whole, ...objects])
    counts.set(label as string, (counts.get(label as string) ?? 0) + count);
  return counts;
}

/** The latest values of a numeric feature. @param since null: all that is kept */
export async function listValues(
  tx: TenantTransaction,
  version: MeasuredVersion,
  feature: 'confidence' | 'latencyMs',
  since: Date | null,
): Promise<number[]> {
  const rows = await records(tx, version, since)
    .where(`i.${feature}`, 'is not', null)
    .orderBy('i.receivedAt', 'desc')
    .limit(MAX_VALUES)
    .select(`i.${feature} as value`)
    .execute();
  return rows.map(({ value }) => value as number);
}

/**
 * Images, or objects, by class in the data that a version was trained with, as its task sees them, of the classes that its
 * training chose: as its registration kept them, or as the data says now; empty where they are not known.
 */
export async function trainingClasses(
  tx: TenantTransaction,
  version: Pick<ModelVersionRow, 'id' | 'datasetDigest' | 'task' | 'runId'>,
): Promise<Map<string, number>> {
  const classes = (await findTrainingClasses(tx, version.id)) ?? (await learnedClasses(tx, version)) ?? [];
  return new Map(classes.map(({ name, count }) => [name, count]));
}

const OF_DEVICES = ['latency_p50_ms', 'latency_p95_ms', 'confidence_mean'];

/**
 * Metrics of rollback conditions for which there is nothing to measure by: no device that has the version, whose records all of
 * them are taken from, no feedback yet, no classes of training data.
 */
export async function lackingMetrics(tx: TenantTransaction, version: ModelVersionRow): Promise<string[]> {
  const feedback = await tx.kysely
    .selectFrom('feedback')
    .where('tenantId', '=', tx.tenantId)
    .where('modelName', '=', version.name)
    .select('id')
    .limit(1)
    .executeTakeFirst();
  const classes = await trainingClasses(tx, version);
  const isInField = await isInstalled(tx, version);
  const isRecorded =
    isInField || (await records(tx, version, null).select('i.version').limit(1).executeTakeFirst());
  return [
    ...(isInField ? [] : ['requests']),
    ...(isRecorded ? [] : OF_DEVICES),
    ...(isRecorded && feedback ? [] : ['accuracy']),
    ...(isRecorded && classes.size > 0 ? [] : ['drift_psi']),
  ];
}
