/** $1 key, $2 value, $3 how many at most. Answers the runs as PostgreSQL writes an array, and how many they are. */
export const RUNS_BY_PAIR = (table: 'param' | 'tag'): string =>
  `select coalesce(array_agg(run), '{}')::text as runs, count(*) from search_${table}($1, $2, $3) as f (run)`;
