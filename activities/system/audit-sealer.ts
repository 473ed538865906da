import { sealAuditChains } from '../../models/audit/audit-seal.commands.js';
import type { Database } from '../../models/orm/database.js';
import { type BackgroundLoop, pause } from '../support/background.js';

const EVERY_MS = 1000;

/** Seals new audit rows every second; of several workers one does it at a time. */
export const createAuditSealer = (database: Database): BackgroundLoop => ({
  name: 'audit-sealer',
  run: async (signal) => {
    while (!signal.aborted) {
      await database.inPlatform(sealAuditChains);
      await pause(EVERY_MS, signal);
    }
  },
});
