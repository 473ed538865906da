import type { StreamEvent } from '../../core/events/stream-event.js';
import type { Told } from './fan-out.commands.js';
import { kindOf } from './notification-catalog.rules.js';

/** Channel on which a worker hears that there is something to tell; a trigger of notification_request sends on it. */
export const NOTIFICATIONS_CHANNEL = 'visionops_notifications';

/** What a person's stream says of an entry that appeared, grew or was read; group and kind are null after read-all. */
export const notificationEvent = (told: { user_id: string; id: string | null; tenant_code: string | null; kind: string | null; unread: number }): StreamEvent => ({
  stream: 'notifications',
  tenantId: null,
  id: told.user_id,
  event: 'notification',
  data: {
    ...(told.id === null ? {} : { id: told.id }),
    tenant_code: told.tenant_code,
    group: told.kind === null ? null : (kindOf(told.kind)?.group ?? null),
    kind: told.kind,
    unread: told.unread,
  },
});

export const toldEvents = (told: readonly Told[]): StreamEvent[] => told.map(notificationEvent);
