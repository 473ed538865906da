import { countFinishedEntries } from '../../models/audit/audit-count.commands.js';
import type { Database } from '../../models/orm/database.js';
import { type BackgroundLoop, pause } from '../support/background.js';

const EVERY_MS = 15_000;

/** Keeps the counts behind the audit list's totals near the end of the trail, so that reading them stays quick. */
export const createAuditCounter = (database: Database): BackgroundLoop => ({
  name: 'audit-counter',
  run: async (signal) => {
    while (!signal.aborted) {
      await database.inPlatform(countFinishedEntries);
      await pause(EVERY_MS, signal);
    }
  },
});
