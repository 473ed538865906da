/** $1 tenant, $2 name, $3 description, $4 who makes it. Answers its id; nothing where the name is taken. */
export const INSERT_MODEL = `
  -- set: unless the name is taken, which does not break the transaction
  insert into model (tenant_id, name, description, created_by) values ($1, $2, $3, $4)
  on conflict (tenant_id, name) do nothing returning id`;
