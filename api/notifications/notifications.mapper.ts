import type { Channels, NotificationRow, Prefs } from '../../models/notifications/notification.types.js';
import {
  audienceText,
  kindOf,
  NOTIFICATION_GROUPS,
  NOTIFICATION_KINDS,
} from '../../models/notifications/notification-catalog.rules.js';
import { textsOf } from '../../models/notifications/joined-requests.rules.js';
import type { Unread } from '../../models/notifications/unread.sql.js';
import type {
  ChannelsOut,
  NotificationOut,
  PreferencesOut,
  UnreadCountOut,
} from './notifications.schemas.js';

export const toNotificationOut = (row: NotificationRow): NotificationOut => ({
  id: row.id,
  tenant_code: row.tenantCode,
  group: kindOf(row.kind)?.group ?? row.kind,
  kind: row.kind,
  ...textsOf(row),
  link: row.link !== null && row.tenantCode !== null ? `${row.link}?tenant=${row.tenantCode}` : row.link,
  read: row.readAt !== null,
  count: row.count,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

export const toUnreadCountOut = (tenants: readonly Unread[]): UnreadCountOut => ({
  total: tenants.reduce((sum, { unread }) => sum + unread, 0),
  tenants: tenants.map(({ tenantCode, unread }) => ({ tenant_code: tenantCode, unread })),
});

export function toPreferencesOut(prefs: Prefs): PreferencesOut {
  const items = NOTIFICATION_GROUPS.map(({ key, title, description, defaults }) => ({
    key,
    title,
    description,
    default: toChannelsOut(defaults),
    ...toChannelsOut(prefs[key] ?? defaults),
    kinds: NOTIFICATION_KINDS.filter((kind) => kind.group === key).map((kind) => ({
      key: kind.key,
      title: kind.title,
      description: `For ${audienceText(kind)}.`,
    })),
  }));
  return {
    items,
    total: items.length,
    prefs: Object.fromEntries(items.map(({ key, in_app, email }) => [key, { in_app, email }])),
  };
}

const toChannelsOut = ({ inApp, email }: Channels): ChannelsOut => ({ in_app: inApp, email });
