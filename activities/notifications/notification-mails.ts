import type { Clock } from '../../core/ports/clock.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import { writeDigests } from '../../models/notifications/mail-digest.commands.js';
import type { Database } from '../../models/orm/database.js';
import { type BackgroundLoop, pause } from '../support/background.js';

const EVERY_MS = 2000;
const BATCH = 50;

export interface NotificationMailDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly keys: KeyRing;
  /** Address of the platform as people know it. */
  readonly baseUrl: string;
}

/** Writes the mails that are due; the mail dispatcher sends them. */
export const createNotificationMails = ({ database, clock, keys, baseUrl }: NotificationMailDeps): BackgroundLoop => ({
  name: 'notification-mails',
  run: async (signal) => {
    while (!signal.aborted) {
      const written = await database.inPlatform((tx) => writeDigests(tx, keys, baseUrl, clock.now(), BATCH));
      if (written < BATCH) await pause(EVERY_MS, signal);
    }
  },
});
