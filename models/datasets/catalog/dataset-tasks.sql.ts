import { sql } from 'kysely';

/** Names of the tasks of a version `v`; null where it has none. */
export const TASK_NAMES = sql<string[] | null>`(
  select array_agg(t.name order by t.name) from jsonb_object_keys(v.tasks) as t (name))`;

/** Counted in the database: the classes of a thousand datasets are not for an answer that only says how many. */
export const CLASS_COUNT = sql<number>`greatest(jsonb_array_length(v.classes),
  (select max(jsonb_array_length(t.value)) from jsonb_each(v.tasks) t))`;
