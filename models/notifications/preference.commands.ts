import { unauthorized } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import type { Prefs } from './notification.types.js';
import { NOTIFICATION_GROUPS } from './notification-catalog.rules.js';

type Stored = Record<string, { in_app?: boolean; email?: boolean }>;

/** What the person wants of every group of the catalog, in its order. */
export async function findPreferences(tx: PlatformTransaction, userId: string): Promise<Prefs> {
  const [row] = await tx.query<{ prefs: Stored }>('select prefs from notification_preference where user_id = $1', [userId]);
  const chosen = (key: string) => row?.prefs[key];
  return Object.fromEntries(NOTIFICATION_GROUPS.map(({ key, defaults }) => [key, { inApp: chosen(key)?.in_app ?? defaults.inApp, email: chosen(key)?.email ?? defaults.email }]));
}

/**
 * Replaces all of it; what `prefs` leaves out has the catalog's defaults, also those of later versions.
 * @throws AppError unauthorized when the account was deleted meanwhile
 */
export async function replacePreferences(tx: PlatformTransaction, actor: Actor, userId: string, prefs: Stored): Promise<void> {
  const kept = await tx.execute(
    `insert into notification_preference (user_id, prefs) select id, $2 from user_account where id = $1 for key share
     on conflict (user_id) do update set prefs = excluded.prefs, updated_at = now()`,
    [userId, JSON.stringify(prefs)],
  );
  if (kept === 0) throw unauthorized('This account is not there any more.');
  await audit(tx, null, actor, { action: 'notification.preferences', target: { kind: 'user', id: userId, label: actor.email ?? undefined }, detail: { prefs } });
}
