import { fieldError, notFound, unprocessable } from '../../core/errors/app-error.js';
import { type Page, toListQuery } from '../../core/paging/page.js';
import type { EventBus } from '../../core/ports/event-bus.js';
import type { Actor } from '../../models/audit/audit.types.js';
import { markAllRead, markRead } from '../../models/notifications/feed.commands.js';
import { listFeed, type Reader } from '../../models/notifications/feed.queries.js';
import { type Hint, notificationEvent } from '../../models/notifications/notification-event.js';
import type { NotificationRow, Prefs } from '../../models/notifications/notification.types.js';
import { NOTIFICATION_GROUPS } from '../../models/notifications/notification-catalog.rules.js';
import {
  countAllUnread,
  countUnreadByTenant,
  findPreferences,
  replacePreferences,
} from '../../models/notifications/own-notifications.platform.js';
import type { Unread } from '../../models/notifications/unread.sql.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { Caller } from '../http/routing/request-context.js';
import type { ChannelsBody, NotificationQuery } from './notifications.schemas.js';

/** One's own notifications: the feed in a tenant; counts and preferences across all of them. */
export class NotificationsService {
  constructor(
    private readonly db: Database,
    private readonly events: EventBus,
  ) {}

  list(caller: Caller, query: NotificationQuery): Promise<Page<NotificationRow>> {
    const list = toListQuery(query, ['updated_at'], 'desc');
    return this.db.inTenant(caller.tenant.tenantId, (tx) =>
      listFeed(tx, readerOf(caller), list, query.unread ?? null),
    );
  }

  /** @throws AppError not_found for what is somebody else's or of another tenant */
  async read(caller: Caller, id: string): Promise<NotificationRow> {
    const found = await this.db.inTenant(caller.tenant.tenantId, (tx) => markRead(tx, readerOf(caller), id));
    if (!found) throw notFound('Notification');
    if (found.changed)
      await this.hint(caller, { id: found.row.id, tenantCode: found.row.tenantCode, kind: found.row.kind });
    return found.row;
  }

  async readAll(caller: Caller): Promise<number> {
    const marked = await this.db.inTenant(caller.tenant.tenantId, (tx) => markAllRead(tx, readerOf(caller)));
    if (marked > 0) await this.hint(caller, { id: null, tenantCode: caller.tenant.code, kind: null });
    return marked;
  }

  unread(userId: string): Promise<Unread[]> {
    return countUnreadByTenant(this.db, userId);
  }

  preferences(userId: string): Promise<Prefs> {
    return findPreferences(this.db, userId);
  }

  /** @throws AppError unprocessable_entity naming groups that are not in the catalog */
  replacePreferences(
    actor: Actor,
    userId: string,
    prefs: Readonly<Record<string, ChannelsBody>>,
  ): Promise<Prefs> {
    const known = NOTIFICATION_GROUPS.map((group) => group.key);
    if (Object.keys(prefs).some((key) => !known.includes(key)))
      throw unprocessable([fieldError(['body', 'prefs'], `may name ${known.join(', ')} alone`)]);
    return replacePreferences(this.db, actor, userId, prefs);
  }

  /** Other windows of the same person show the new count. */
  private async hint(
    { principal: { userId } }: Caller,
    what: Pick<Hint, 'id' | 'tenantCode' | 'kind'>,
  ): Promise<void> {
    this.events.publish([
      notificationEvent({ ...what, userId, unread: await countAllUnread(this.db, userId) }),
    ]);
  }
}

const readerOf = ({ principal, tenant }: Caller): Reader => ({
  userId: principal.userId,
  role: tenant.role,
  isGlobalAdmin: principal.isGlobalAdmin,
});
