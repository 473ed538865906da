import type { Clock } from '../../core/ports/clock.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import { nextDigestDueMs, writeDueDigests } from '../../models/notifications/mail-digest.platform.js';
import { NOTIFICATION_MAILS_CHANNEL } from '../../models/notifications/notification-event.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { Listener } from '../../models/orm/listener.js';
import type { BackgroundLoop } from '../support/background.js';
import { createWokenLoop } from '../support/woken-loop.js';

const BATCH = 50;

export interface NotificationMailDeps {
  readonly database: Database;
  readonly listener: Listener;
  readonly clock: Clock;
  readonly keys: KeyRing;
  /** Address of the platform as people know it. */
  readonly baseUrl: string;
}

/** Writes the mails that are due; the mail dispatcher sends them. */
export const createNotificationMails = ({
  database,
  listener,
  clock,
  keys,
  baseUrl,
}: NotificationMailDeps): BackgroundLoop =>
  createWokenLoop({
    name: 'notification-mails',
    listener,
    channel: NOTIFICATION_MAILS_CHANNEL,
    pass: async () => {
      const written = await writeDueDigests(database, keys, baseUrl, clock.now(), BATCH);
      return written === BATCH ? 0 : nextDigestDueMs(database, clock.now());
    },
  });
