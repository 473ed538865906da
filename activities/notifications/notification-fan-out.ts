import type { Clock } from '../../core/ports/clock.js';
import type { EventBus } from '../../core/ports/event-bus.js';
import { fanOut, type MailPace } from '../../models/notifications/fan-out.commands.js';
import { NOTIFICATIONS_CHANNEL, toldEvents } from '../../models/notifications/notification-event.js';
import type { Database } from '../../models/orm/database.js';
import type { Listener } from '../../models/orm/listener.js';
import { type BackgroundLoop, pause } from '../support/background.js';
import { Bell } from '../support/bell.js';

/** What was asked for while nobody listened is found by then. */
const POLL_MS = 2000;
/** A storm is gathered this long before each pass, so that it is few entries and few hints. */
const GATHER_MS = 100;
const BATCH = 200;

export interface FanOutDeps {
  readonly database: Database;
  readonly listener: Listener;
  readonly events: EventBus;
  readonly clock: Clock;
}

/** Tells people what the transactions of every process asked to be told. A killed pass leaves its requests to the next. */
export const createNotificationFanOut = ({ database, listener, events, clock }: FanOutDeps, pace: MailPace): BackgroundLoop => ({
  name: 'notifications',
  run: async (signal) => {
    const bell = new Bell(signal);
    const unsubscribe = listener.subscribe({ channel: NOTIFICATIONS_CHANNEL, onNotify: () => bell.ring(), onUp: () => bell.ring() });
    try {
      while (!signal.aborted) {
        bell.hush();
        const { taken, told } = await database.inPlatform((tx) => fanOut(tx, clock.now(), BATCH, pace));
        events.publish(toldEvents(told));
        if (taken < BATCH) await bell.wait(POLL_MS);
        await pause(GATHER_MS, signal);
      }
    } finally {
      unsubscribe();
    }
  },
});
