import { sql } from 'kysely';
import type { PlatformTransaction } from '../orm/transaction.js';
import { folded } from './folded-address.js';
import { removeInvitations } from './invitation.sql.js';

/** Invitations to an address, without those of tenants that are being erased. */
export const pendingInvitations = (tx: PlatformTransaction, email: string) =>
  tx.kysely
    .selectFrom('invitation as i')
    .innerJoin('tenant as t', 't.id', 'i.tenantId')
    .select(['i.id', 'i.tenantId', 't.code', 'i.role', sql<boolean>`i.expires_at > now()`.as('isValid')])
    .where(folded(sql.ref('i.email')), '=', folded(email))
    .where('t.id', 'not in', (eb) => eb.selectFrom('tenant_deletion').select('erasedTenant'));

/** Takes back the invitations of an address to a tenant, or to all. What is decided otherwise later holds. */
export async function withdrawInvitations(
  tx: PlatformTransaction,
  email: string,
  tenantId: string | null,
): Promise<void> {
  const all = pendingInvitations(tx, email);
  const rows = await (tenantId === null ? all : all.where('t.id', '=', tenantId)).execute();
  await removeInvitations(
    tx,
    rows.map(({ id }) => id),
  );
}
