import { type RawBuilder, sql } from 'kysely';
import type { KeyValue } from './key-value.types.js';
import type { Alias } from './labels.types.js';

type Pairs = readonly KeyValue[];
const pairsOf = (table: 'model_tag' | 'model_version_tag', owner: RawBuilder<unknown>) =>
  sql<Pairs>`coalesce((select json_agg(json_build_object('key', t.key, 'value', t.value) order by t.key)
    from ${sql.table(table)} t where ${owner}), '[]')`;
/** Labels of `model as m`. */
export const MODEL_TAGS = pairsOf('model_tag', sql`t.model_id = m.id`);
/** Labels of `model_version as v`. */
export const VERSION_TAGS = pairsOf('model_version_tag', sql`t.version_id = v.id`);
export const MODEL_ALIASES = sql<readonly Alias[]>`coalesce((
  select json_agg(json_build_object('alias', a.alias, 'version', a.version) order by a.alias)
  from model_alias a where a.model_id = m.id), '[]')`;
export const VERSION_ALIASES = sql<readonly string[]>`coalesce((
  select json_agg(a.alias order by a.alias) from model_alias a
  where a.model_id = v.model_id and a.version = v.version), '[]')`;

/** Whether this alias of its model names a version `v`. */
export const hasAlias = (alias: string): RawBuilder<boolean> => sql<boolean>`exists (
  select 1 from model_alias a
  where a.model_id = v.model_id and a.version = v.version and a.alias = ${alias})`;

/** Whether a version `v` is the latest of its stage. */
export const IS_LATEST = sql<boolean>`v.version = (select max(o.version) from model_version o
  where o.tenant_id = v.tenant_id and o.model_id = v.model_id and o.stage = v.stage)`;

/** @param matches condition over the value of the tag `t` */
export const hasModelTag = (key: string, matches: RawBuilder<boolean>): RawBuilder<boolean> =>
  sql<boolean>`exists (select 1 from model_tag t where t.model_id = m.id and t.key = ${key} and ${matches})`;

/** @param matches condition over the value of the tag `t` */
export const hasVersionTag = (key: string, matches: RawBuilder<boolean>): RawBuilder<boolean> =>
  sql<boolean>`exists (select 1 from model_version_tag t where t.version_id = v.id and t.key = ${key} and ${matches})`;
