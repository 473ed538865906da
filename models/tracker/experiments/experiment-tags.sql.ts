import { type RawBuilder, sql } from 'kysely';
import type { Condition } from '../../../formats/mlflow/filter.js';
import { compareText } from '../../search/compare.js';
import { textOf } from '../../search/terms.rules.js';

/** Tags of an experiment `e` by their keys. */
export const EXPERIMENT_TAGS = sql<Readonly<Record<string, string>>>`coalesce((
  select jsonb_object_agg(t.key, t.value) from experiment_tag t where t.experiment = e.id), '{}')`;

/** Whether an experiment `e` has a tag like that. @throws AppError bad_request for what cannot be compared */
export function hasTag(
  key: string,
  { operator, value }: Pick<Condition, 'operator' | 'value'>,
): RawBuilder<boolean> {
  const named = sql`from experiment_tag t where t.experiment = e.id and t.key = ${key}`;
  if (operator === 'IS NULL') return sql<boolean>`not exists (select 1 ${named})`;
  if (operator === 'IS NOT NULL') return sql<boolean>`exists (select 1 ${named})`;
  return sql<boolean>`exists (select 1 ${named} and ${compareText(sql.ref('t.value'), operator, textOf(value))})`;
}
