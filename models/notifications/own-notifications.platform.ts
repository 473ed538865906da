import { unauthorized } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import type { Database } from '../orm/in-tenant.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import type { Prefs, StoredPrefs } from './notification.types.js';
import { NOTIFICATION_GROUPS } from './notification-catalog.rules.js';
import { NotificationPreference } from './notification-preference.entity.js';
import { countUnread, countUnreadOf, type Unread } from './unread.sql.js';

/** What the person wants of every group of the catalog, in its order. */
export const findPreferences = (db: Database, userId: string): Promise<Prefs> =>
  db.inPlatform((tx) => readPreferences(tx, userId));

async function readPreferences(tx: PlatformTransaction, userId: string): Promise<Prefs> {
  const stored = await tx.kysely
    .selectFrom('notification_preference')
    .where('userId', '=', userId)
    .select('prefs')
    .executeTakeFirst();
  const wish = (key: string, defaults: Prefs[string]) => {
    const chosen = stored?.prefs[key];
    return { inApp: chosen?.in_app ?? defaults.inApp, email: chosen?.email ?? defaults.email };
  };
  return Object.fromEntries(NOTIFICATION_GROUPS.map(({ key, defaults }) => [key, wish(key, defaults)]));
}

/**
 * Replaces all of it; what `prefs` leaves out has the catalog's defaults, also those of later versions.
 * @throws AppError unauthorized when the account was deleted meanwhile
 */
export const replacePreferences = (
  db: Database,
  actor: Actor,
  userId: string,
  prefs: StoredPrefs,
): Promise<Prefs> =>
  db.inPlatform(async (tx) => {
    const account = await tx.kysely
      .selectFrom('user_account')
      .select('id')
      .where('id', '=', userId)
      .forKeyShare()
      .executeTakeFirst();
    if (!account) throw unauthorized('This account is not there any more.');
    await tx.em.upsert(NotificationPreference, { userId, prefs, updatedAt: new Date() });
    const target = { kind: 'user', id: userId, label: actor.email ?? undefined };
    await audit(tx, null, actor, { action: 'notification.preferences', target, detail: { prefs } });
    return readPreferences(tx, userId);
  });

/** Unread entries of one person by tenant, tenants without any left out. */
export const countUnreadByTenant = (db: Database, userId: string): Promise<Unread[]> =>
  db.inPlatform((tx) => countUnread(tx, [userId]));

/** Unread entries of one person in all tenants. */
export const countAllUnread = async (db: Database, userId: string): Promise<number> =>
  (await db.inPlatform((tx) => countUnreadOf(tx, [userId]))).get(userId) ?? 0;
