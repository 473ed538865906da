import { type RawBuilder, sql } from 'kysely';

/** Parts of statements over runs `r`. The tenant is named beside the run: so the policy is asked once, not for each row. */

/** @param key number of the metric's name @param matches condition over its latest value `m` */
export const hasMetric = (key: number, matches: RawBuilder<boolean>): RawBuilder<boolean> =>
  sql<boolean>`exists (select 1 from metric_latest m
    where m.tenant_id = r.tenant_id and m.run = r.id and m.key = ${key} and ${matches})`;

/** @param matches condition over the param or tag `v` */
export const hasPair = (
  table: 'param' | 'tag',
  key: string,
  matches: RawBuilder<boolean> = sql<boolean>`true`,
): RawBuilder<boolean> =>
  sql<boolean>`exists (select 1 from ${sql.table(table)} v
    where v.tenant_id = r.tenant_id and v.run = r.id and v.key = ${key} and ${matches})`;

/** @param matches condition over the dataset `d` and how it was used, `i` */
export const hasDataset = (matches: RawBuilder<boolean>): RawBuilder<boolean> =>
  sql<boolean>`exists (select 1 from run_dataset i join tracker_dataset d on d.id = i.dataset
    where i.run = r.id and ${matches})`;

/** The latest value. @param key number of the metric's name */
export const metricValue = (key: number): RawBuilder<unknown> =>
  sql`(select m.value from metric_latest m where m.run = r.id and m.key = ${key})`;

export const pairValue = (table: 'param' | 'tag', key: string): RawBuilder<unknown> =>
  sql`(select v.value from ${sql.table(table)} v where v.run = r.id and v.key = ${key})`;
