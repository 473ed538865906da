/** $1 tenant, $2 names. What somebody else adds at the same moment stays. */
export const INSERT_METRIC_KEYS = `
  -- hot: every batch that has names nobody has logged before
  insert into metric_key (tenant_id, name) select $1, name from unnest($2::text[]) as m (name) order by name
  on conflict do nothing`;
