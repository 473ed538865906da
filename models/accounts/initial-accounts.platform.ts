import { audit } from '../audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../audit/audit.types.js';
import type { Database } from '../orm/in-tenant.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { holdTransactionLock } from '../orm/transaction-lock.js';
import { findTenantByCode } from '../tenants/tenant.platform.js';
import { addTenant } from '../tenants/tenant.commands.platform.js';
import { isErasedCode } from '../tenants/deletion.platform.js';
import { announceAuthChange } from '../access/auth-change.js';
import { createUser } from './account-changes.platform.js';
import { findUserByEmail } from './account.platform.js';
import { putGlobalAdmin } from './membership-changes.platform.js';

export interface InitialAccounts {
  readonly adminEmail: string | null;
  /** Null where no administrator is to be made. */
  readonly adminPasswordHash: string | null;
  readonly tenantCode: string | null;
}

export const isAccountMissing = (db: Database, email: string): Promise<boolean> =>
  db.inPlatform(async (tx) => (await findUserByEmail(tx, email)) === null);

/** Makes what is missing and leaves what is there: an existing account keeps its password. Safe to run at every boot. */
export const ensureInitial = (db: Database, wanted: InitialAccounts): Promise<void> =>
  db.inPlatform(async (tx) => {
    await holdTransactionLock(tx, 'visionops.initial-accounts');
    if (wanted.tenantCode !== null) await ensureTenant(tx, wanted.tenantCode);
    if (wanted.adminEmail !== null && wanted.adminPasswordHash !== null)
      await ensureAdmin(tx, wanted.adminEmail, wanted.adminPasswordHash);
  });

async function ensureTenant(tx: PlatformTransaction, code: string): Promise<void> {
  // Erased on purpose: it does not come back by itself.
  if (await isErasedCode(tx, code)) return;
  if (!(await findTenantByCode(tx, code))) await addTenant(tx, SYSTEM_ACTOR, { code, name: code });
}

async function ensureAdmin(tx: PlatformTransaction, email: string, passwordHash: string): Promise<void> {
  if (await findUserByEmail(tx, email)) return;
  const user = await createUser(tx, SYSTEM_ACTOR, {
    email,
    passwordHash,
    fullName: 'Administrator',
    phone: null,
    isVerified: true,
  });
  await putGlobalAdmin(tx, user.id);
  await audit(tx, null, SYSTEM_ACTOR, {
    action: 'user.global_admin_grant',
    target: { kind: 'user', id: user.id, label: email },
  });
  await announceAuthChange(tx, { userId: user.id });
}
