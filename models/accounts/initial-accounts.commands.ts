import { audit } from '../audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../audit/audit.types.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { isErasedCode } from '../tenants/deletion.repository.js';
import { announceAuthChange } from './auth-change.js';
import { createUser } from './account.commands.js';
import { findUserByEmail } from './account.repository.js';

export interface InitialAccounts {
  readonly adminEmail: string | null;
  /** Null where no administrator is to be made. */
  readonly adminPasswordHash: string | null;
  readonly tenantCode: string | null;
}

/** Makes what is missing and leaves what is there: an existing account keeps its password. Safe to run at every boot. */
export async function ensureInitial(tx: PlatformTransaction, wanted: InitialAccounts): Promise<void> {
  await tx.execute("select pg_advisory_xact_lock(hashtext('visionops.initial-accounts'))");
  if (wanted.tenantCode !== null) await ensureTenant(tx, wanted.tenantCode);
  if (wanted.adminEmail !== null && wanted.adminPasswordHash !== null) await ensureAdmin(tx, wanted.adminEmail, wanted.adminPasswordHash);
}

async function ensureTenant(tx: PlatformTransaction, code: string): Promise<void> {
  // Erased on purpose: it does not come back by itself.
  if (await isErasedCode(tx, code)) return;
  const rows = await tx.query<{ id: string }>('insert into tenant (code, name) values ($1, $1) on conflict (code) do nothing returning id', [code]);
  const id = rows[0]?.id;
  if (id !== undefined) await audit(tx, id, SYSTEM_ACTOR, { action: 'tenant.create', target: { kind: 'tenant', id, label: code } });
}

async function ensureAdmin(tx: PlatformTransaction, email: string, passwordHash: string): Promise<void> {
  if (await findUserByEmail(tx, email)) return;
  const user = await createUser(tx, SYSTEM_ACTOR, { email, passwordHash, fullName: 'Administrator', phone: null, isVerified: true });
  await tx.execute("insert into membership (user_id, tenant_id, role) values ($1, null, 'ADMIN')", [user.id]);
  await audit(tx, null, SYSTEM_ACTOR, { action: 'user.global_admin_grant', target: { kind: 'user', id: user.id, label: email } });
  await announceAuthChange(tx, { userId: user.id });
}
