import { type RawBuilder, sql } from 'kysely';
import type { Transaction } from '../orm/transaction.js';
import type { HiddenAudit } from './audit.types.js';

/** Whether an entry `e` is not to be seen any more. */
export const isHidden = (hidden: readonly HiddenAudit[]): RawBuilder<boolean> => {
  const [tenants, befores] = [hidden.map((each) => each.tenantId), hidden.map((each) => each.before)];
  return sql<boolean>`exists (
    select 1 from unnest(${tenants}::uuid[], ${befores}::timestamptz[]) as h (tenant, before)
    where h.tenant = e.tenant_id and e.at < h.before)`;
};

/**
 * Distinct actions of entries that are not hidden, by name: one look into the index for each, however many
 * entries it has.
 */
export async function listActions(
  tx: Transaction,
  tenantId: string | null,
  hidden: readonly HiddenAudit[],
): Promise<string[]> {
  const rows = await tx.rows<{ action: string }>(
    `with recursive known (action) as (
       (select e.action from audit_entry e order by e.action using ~<~ limit 1)
       union all
       select (select e.action from audit_entry e where e.action ~>~ known.action
         order by e.action using ~<~ limit 1)
       from known where known.action is not null)
     select action from known where exists (
       select 1 from audit_entry e where e.action = known.action and ($1::uuid is null or e.tenant_id = $1)
         and not exists (
           select 1 from unnest($2::uuid[], $3::timestamptz[]) as h (tenant, before)
           where h.tenant = e.tenant_id and e.at < h.before))
     order by action collate "C"`,
    [tenantId, hidden.map((each) => each.tenantId), hidden.map((each) => each.before)],
  );
  return rows.map((row) => row.action);
}
