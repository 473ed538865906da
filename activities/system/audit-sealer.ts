import { AUDIT_CHANNEL, AuditSealing } from '../../models/audit/audit-sealing.platform.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { Listener } from '../../models/orm/listener.js';
import { type BackgroundLoop, pause } from '../support/background.js';
import { createWokenLoop } from '../support/woken-loop.js';

const EVERY_MS = 1000;

/** Seals new audit rows, at most once a second; of several workers one does it at a time. */
export function createAuditSealer(database: Database, listener: Listener): BackgroundLoop {
  const sealing = new AuditSealing(database);
  return createWokenLoop({
    name: 'audit-sealer',
    listener,
    channel: AUDIT_CHANNEL,
    pass: async (signal) => {
      // Rows stay unsealed while older transactions run, and while another worker is at it, which may die.
      const { isUnfinished } = await sealing.pass();
      await pause(EVERY_MS, signal);
      return isUnfinished ? 0 : null;
    },
  });
}
