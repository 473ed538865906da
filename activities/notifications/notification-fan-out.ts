import type { Clock } from '../../core/ports/clock.js';
import type { EventBus } from '../../core/ports/event-bus.js';
import { fanOutRequests } from '../../models/notifications/fan-out.platform.js';
import type { MailPace } from '../../models/notifications/mail-pace.rules.js';
import { NOTIFICATIONS_CHANNEL, notificationEvents } from '../../models/notifications/notification-event.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { Listener } from '../../models/orm/listener.js';
import { type BackgroundLoop, pause } from '../support/background.js';
import { createWokenLoop } from '../support/woken-loop.js';

/** A storm is gathered this long before each pass, so that it is few entries and few hints. */
const GATHER_MS = 100;
const BATCH = 200;

export interface FanOutDeps {
  readonly database: Database;
  readonly listener: Listener;
  readonly events: EventBus;
  readonly clock: Clock;
}

/**
 * Writes the notifications that the transactions of every process asked for. A killed pass leaves its requests to
 * the next.
 */
export const createNotificationFanOut = (
  { database, listener, events, clock }: FanOutDeps,
  pace: MailPace,
): BackgroundLoop =>
  createWokenLoop({
    name: 'notifications',
    listener,
    channel: NOTIFICATIONS_CHANNEL,
    pass: async (signal) => {
      await pause(GATHER_MS, signal);
      const { taken, hints } = await fanOutRequests(database, clock.now(), BATCH, pace);
      events.publish(notificationEvents(hints));
      return taken < BATCH ? null : 0;
    },
  });
