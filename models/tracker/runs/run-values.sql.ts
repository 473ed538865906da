import { sql } from 'kysely';

type Texts = Readonly<Record<string, string>>;
/** What a run `r` has, by key. */
export const PARAMS = sql<Texts>`coalesce((
  select jsonb_object_agg(p.key, p.value) from param p where p.run = r.id), '{}')`;
export const TAGS = sql<Texts>`coalesce((
  select jsonb_object_agg(t.key, t.value) from tag t where t.run = r.id), '{}')`;
/** JSON has no NaN: values travel as text. */
export const METRICS = sql<Texts>`coalesce((
  select jsonb_object_agg(k.name, l.value::text)
  from metric_latest l join metric_key k on k.id = l.key where l.run = r.id), '{}')`;
