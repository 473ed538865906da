import { type RawBuilder, sql } from 'kysely';
import { likePattern } from '../../core/paging/page.js';

/** Whether a version of `model as m` is in Production. */
export const IN_PRODUCTION = sql<boolean>`exists (
  select 1 from model_version p
  where p.tenant_id = m.tenant_id and p.model_id = m.id and p.stage = 'Production')`;

/** Whether a version of `model as m` was made from data with this digest. */
export const hasVersionOfData = (digest: string): RawBuilder<boolean> => sql<boolean>`exists (
  select 1 from model_version p
  where p.tenant_id = m.tenant_id and p.model_id = m.id and p.dataset_digest = ${digest})`;

/** Whether the name of `model as m` contains the text. */
export const isNamedLike = (text: string): RawBuilder<boolean> =>
  sql<boolean>`m.id in (select search_model(${likePattern(text)}))`;
/** $1 tenant, $2 name, $3 description, $4 who makes it. Answers its id; nothing where the name is taken. */
export const INSERT_MODEL = `
  -- set: unless the name is taken, which does not break the transaction
  insert into model (tenant_id, name, description, created_by) values ($1, $2, $3, $4)
  on conflict (tenant_id, name) do nothing returning id`;
