import { type RawBuilder, sql } from 'kysely';
import type { MainMetric } from './run.types.js';

/** As the database says it: JSON has no NaN, so the value travels as text. */
export type StoredMainMetric = { readonly name: string; readonly value: string } | null;

/** Names that people judge a run by, what was measured on unseen data first. */
const NAMES = ['test/', 'val/', ''].flatMap((part) =>
  ['accuracy', 'miou', 'map50', 'map', 'loss'].map((name) => `${part}${name}`),
);

/**
 * A column for a statement over runs: the latest value of the first of these names that the run has, otherwise of the metric
 * whose name the tenant logged first. Each name is one look into the primary key, however many metrics the run has.
 * @param run the run's short id in that statement
 */
export const mainMetricOf = (tenantId: string, run: string): RawBuilder<StoredMainMetric> =>
  sql<StoredMainMetric>`coalesce((
    select jsonb_build_object('name', k.name, 'value', l.value::text)
    from unnest(${NAMES}::text[]) with ordinality main(name, place)
    join metric_key k on k.tenant_id = ${tenantId} and k.name = main.name
    join metric_latest l on l.run = ${sql.ref(run)} and l.key = k.id
    order by main.place limit 1
  ), (
    select jsonb_build_object('name', k.name, 'value', l.value::text)
    from metric_latest l join metric_key k on k.tenant_id = l.tenant_id and k.id = l.key
    where l.run = ${sql.ref(run)} and k.name not like 'system/%'
    order by l.key limit 1
  ))`;

export const asMainMetric = (stored: StoredMainMetric): MainMetric | null =>
  stored && { name: stored.name, value: Number(stored.value) };
