import { sql } from 'kysely';
import type { Condition, FilterValue, Operator } from '../../../formats/mlflow/filter.js';
import {
  DEFAULT_PROJECT,
  experimentName,
  type ExperimentPlace,
  experimentPlace,
} from '../../../formats/mlflow/experiment-name.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { compareDate, compareText, inView, type ViewType } from '../../search/compare.js';
import { badFilter, orderTerm, type SortKey } from '../../search/terms.rules.js';
import { EXPERIMENT_TAGS, hasTag } from './experiment-tags.sql.js';
import type { TrackerExperimentRow } from './experiment.types.js';

/** As `experimentName` writes it. */
const FULL_NAME = sql<string>`case when e.project = ${DEFAULT_PROJECT} and strpos(e.name, '/') in (0, 1, length(e.name))
  then e.name else e.project || '/' || e.name end`;

const experiments = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('tracker_experiment as e')
    .where('e.tenantId', '=', tx.tenantId)
    .select([
      'e.id',
      'e.project',
      'e.name',
      'e.lifecycle',
      'e.createdAt',
      'e.updatedAt',
      EXPERIMENT_TAGS.as('tags'),
    ]);

/** Deleted ones too. */
export async function findExperiment(
  tx: TenantTransaction,
  id: number,
): Promise<TrackerExperimentRow | null> {
  return (await experiments(tx).where('e.id', '=', id).executeTakeFirst()) ?? null;
}

export async function findExperimentAt(
  tx: TenantTransaction,
  { project, name }: ExperimentPlace,
): Promise<TrackerExperimentRow | null> {
  const found = experiments(tx).where('e.project', '=', project).where('e.name', '=', name);
  return (await found.executeTakeFirst()) ?? null;
}

export interface ExperimentSearch {
  readonly conditions: readonly Condition[];
  readonly order: readonly SortKey[];
  readonly view: ViewType;
  readonly offset: number;
  /** One more is read. */
  readonly limit: number;
}

/** Names of MLflow and what they stand for. */
const COLUMNS = {
  name: FULL_NAME,
  experiment_id: sql<number>`e.id`,
  creation_time: sql<Date>`e.created_at`,
  last_update_time: sql<Date>`e.updated_at`,
} as const;

/** Newest first unless asked otherwise. @throws AppError bad_request for what cannot be compared */
export function searchExperiments(
  tx: TenantTransaction,
  { conditions, order, view, offset, limit }: ExperimentSearch,
): Promise<TrackerExperimentRow[]> {
  let found = experiments(tx).where(inView(sql.ref('e.lifecycle'), view));
  for (const condition of conditions) found = found.where(matches(condition));
  for (const key of order) found = found.orderBy(orderTerm(key, COLUMNS), key.isDescending ? 'desc' : 'asc');
  if (order.length === 0) found = found.orderBy('e.createdAt', 'desc');
  return found
    .orderBy('e.id', 'desc')
    .offset(offset)
    .limit(limit + 1)
    .execute();
}

function matches({ entity, key, operator, value }: Condition) {
  if (/^tags?$/.test(entity)) return hasTag(key, { operator, value });
  if (!/^attr(ibutes?)?$/.test(entity)) throw badFilter(`${entity} is not a part of an experiment.`);
  if (key === 'name') return compareText(FULL_NAME, operator, storedName(operator, value));
  if (key === 'experiment_id' && ID_OPERATORS.has(operator))
    return compareText(sql`e.id::text`, operator, value);
  if (key === 'creation_time' || key === 'last_update_time')
    return compareDate(COLUMNS[key], operator, value);
  throw badFilter(
    `${JSON.stringify(key.slice(0, 100))} is not an attribute of an experiment that ${operator} compares.`,
  );
}

/** A whole name may be written longer than it is answered: `default/e` is `e`. */
const storedName = (operator: Operator, value: FilterValue): FilterValue =>
  typeof value === 'string' && (operator === '=' || operator === '!=')
    ? experimentName(experimentPlace(value))
    : value;

const ID_OPERATORS: ReadonlySet<Operator> = new Set(['=', '!=', 'IN', 'NOT IN']);
