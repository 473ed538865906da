import type { StreamEvent } from '../../core/events/stream-event.js';
import { kindOf } from './notification-catalog.rules.js';

/**
 * Channel on which a worker hears that there are requests; a trigger of notification_request sends on
 * it.
 */
export const NOTIFICATIONS_CHANNEL = 'visionops_notifications';

/** Channel on which a worker hears that a mail will be due; a trigger of notification_mail sends on it. */
export const NOTIFICATION_MAILS_CHANNEL = 'visionops_notification_mails';

/** Somebody's entry that appeared, grew or was read. */
export interface Hint {
  readonly userId: string;
  /** Null, as the kind, after all were read. */
  readonly id: string | null;
  readonly tenantCode: string | null;
  readonly kind: string | null;
  /** Unread entries of the person in all tenants. */
  readonly unread: number;
}

/**
 * What a person's stream says of an entry that appeared, grew or was read; group and kind are null after
 * read-all.
 */
export const notificationEvent = (hint: Hint): StreamEvent => ({
  stream: 'notifications',
  tenantId: null,
  id: hint.userId,
  event: 'notification',
  data: {
    ...(hint.id === null ? {} : { id: hint.id }),
    tenant_code: hint.tenantCode,
    group: hint.kind === null ? null : (kindOf(hint.kind)?.group ?? null),
    kind: hint.kind,
    unread: hint.unread,
  },
});

export const notificationEvents = (hints: readonly Hint[]): StreamEvent[] => hints.map(notificationEvent);
