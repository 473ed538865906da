import { MAIL_PACE } from '../../models/notifications/mail-pace.rules.js';
import type { DomainWork, WorkerDeps } from '../support/domain-work.js';
import { createNotificationFanOut } from './notification-fan-out.js';
import { createNotificationHousekeeping } from './notification-housekeeping.js';
import { createNotificationMails } from './notification-mails.js';

export const wireNotifications = (deps: WorkerDeps): DomainWork => ({
  maintenance: createNotificationHousekeeping(deps.database, deps.clock),
  loops: [
    createNotificationFanOut(deps, MAIL_PACE),
    createNotificationMails({
      ...deps,
      keys: deps.settings.SERVICE_SECRET_KEYS,
      baseUrl: deps.settings.SERVICE_BASE_URL,
    }),
  ],
});
