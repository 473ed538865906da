import type { Role } from '../access/permission.rules.js';
import type { Transaction } from '../orm/transaction.js';

const BATCH = 5000;

/** @returns how many went, at most 5000 */
export const removeExpiredInvitations = (tx: Transaction, now: Date): Promise<number> =>
  tx.execute(
    `delete from invitation -- bulk: whatever expired since the last hour
     where id in (select id from invitation where expires_at < $1 limit $2)`,
    [now, BATCH],
  );

interface PendingInvitation {
  readonly tenantId: string;
  readonly code: string;
  readonly role: Role;
  readonly isValid: boolean;
}

const IS_ERASED = 'tenant_id in (select erased_tenant from tenant_deletion)';

/** Invitations to an address (compared as `folded` does), without those of tenants that are being erased. */
export const pendingInvitations = (tx: Transaction, email: string): Promise<PendingInvitation[]> =>
  tx.rows<PendingInvitation>(
    `select i.tenant_id, t.code, i.role, i.expires_at > now() as is_valid
     from invitation i join tenant t on t.id = i.tenant_id
     where lower(i.email) = lower($1::text) and not i.${IS_ERASED}`,
    [email],
  );

/** Takes back the invitations of an address to a tenant, or to all (null). What is decided otherwise later holds. */
export async function withdrawInvitations(
  tx: Transaction,
  email: string,
  tenantId: string | null,
): Promise<void> {
  await tx.execute(
    `-- set: all of an address
     delete from invitation
     where lower(email) = lower($1::text) and ($2::uuid is null or tenant_id = $2) and not ${IS_ERASED}`,
    [email, tenantId],
  );
}
