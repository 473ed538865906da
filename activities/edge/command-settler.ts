import type { EventBus } from '../../core/ports/event-bus.js';
import { commandEvent } from '../../models/edge/commands/command-events.rules.js';
import { settleCommands } from '../../models/edge/fleet.platform.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { type BackgroundLoop, pause } from '../support/background.js';

const EVERY_MS = 2000;

/**
 * Brings the rows of commands in line with the time: expired, or pending again. Nothing depends on it: reads, deliveries and
 * acknowledgements go by the time themselves. It calls devices that wait, and publishes events.
 */
export const createCommandSettler = (database: Database, events: EventBus): BackgroundLoop => ({
  name: 'command-settler',
  run: async (signal) => {
    while (!signal.aborted) {
      const settled = await settleCommands(database);
      events.publish(
        settled.map(({ tenantId, deviceKey: key, id, state }) => commandEvent({ tenantId, key }, id, state)),
      );
      if (settled.length === 0) await pause(EVERY_MS, signal);
    }
  },
});
