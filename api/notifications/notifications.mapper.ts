import type { Channels, NotificationRow, Prefs } from '../../models/notifications/notification.types.js';
import { audienceText, kindOf, NOTIFICATION_GROUPS, NOTIFICATION_KINDS } from '../../models/notifications/notification-catalog.rules.js';
import { textsOf } from '../../models/notifications/storm.rules.js';
import type { UnreadInTenant } from '../../models/notifications/unread.repository.js';
import type { ChannelsOut, NotificationOut, PreferencesOut, UnreadCountOut } from './notifications.schemas.js';

export const toNotificationOut = (row: NotificationRow): NotificationOut => ({
  id: row.id,
  tenant_code: row.tenant_code,
  group: kindOf(row.kind)?.group ?? row.kind,
  kind: row.kind,
  ...textsOf(row),
  link: row.link !== null && row.tenant_code !== null ? `${row.link}?tenant=${row.tenant_code}` : row.link,
  read: row.read_at !== null,
  count: row.count,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

export const toUnreadCountOut = (tenants: readonly UnreadInTenant[]): UnreadCountOut => ({
  total: tenants.reduce((sum, { unread }) => sum + unread, 0),
  tenants: tenants.map(({ tenant_code, unread }) => ({ tenant_code, unread })),
});

export function toPreferencesOut(prefs: Prefs): PreferencesOut {
  const items = NOTIFICATION_GROUPS.map(({ key, title, description, defaults }) => ({
    key,
    title,
    description,
    default: toChannelsOut(defaults),
    ...toChannelsOut(prefs[key] ?? defaults),
    kinds: NOTIFICATION_KINDS.filter((kind) => kind.group === key).map((kind) => ({ key: kind.key, title: kind.title, description: `For ${audienceText(kind)}.` })),
  }));
  return { items, total: items.length, prefs: Object.fromEntries(items.map(({ key, in_app, email }) => [key, { in_app, email }])) };
}

const toChannelsOut = ({ inApp, email }: Channels): ChannelsOut => ({ in_app: inApp, email });
