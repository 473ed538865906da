import type { Settings } from '../../core/config/settings.js';
import { ensureInitial, isAccountMissing } from '../../models/accounts/initial-accounts.platform.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { PasswordHasher } from '../auth/password-hasher.js';

/** Applies SERVICE_INIT_* at boot. Hashes only when the account is missing, so a restart costs one query. */
export async function ensureInitialAccounts(parts: {
  readonly settings: Settings;
  readonly db: Database;
}): Promise<void> {
  const {
    SERVICE_INIT_ADMIN_EMAIL: email,
    SERVICE_INIT_ADMIN_PASSWORD: password,
    SERVICE_INIT_TENANT_CODE: tenantCode,
  } = parts.settings;
  if (email === undefined && tenantCode === undefined) return;
  const isMissing =
    email !== undefined && password !== undefined && (await isAccountMissing(parts.db, email));
  const adminPasswordHash = isMissing ? await new PasswordHasher().hash(password, 'known') : null;
  const adminEmail = email ?? null;
  await ensureInitial(parts.db, { adminEmail, adminPasswordHash, tenantCode: tenantCode ?? null });
}
