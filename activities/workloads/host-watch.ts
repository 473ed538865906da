import type { Logger } from '../../core/logging/logger.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { listHosts } from '../../models/workloads/host.platform.js';
import { giveUpHost, sweepLostHosts } from '../../models/workloads/hosted.platform.js';
import { placeWaiting } from '../../models/workloads/placement.platform.js';
import { type BackgroundLoop, pause } from '../support/background.js';

const EVERY_MS = 10_000;

export interface HostWatchOptions {
  readonly database: Database;
  /** Seconds of silence after which a host is taken for lost. */
  readonly goneAfterS: number;
  readonly logger: Logger;
}

/**
 * Chooses hosts for what waits too: a host's own agent does so at once, but while none is alive nobody else would say
 * what is waited for. Takes a host for lost that was silent for as long as this watch itself has run and looked: after a stop of the whole
 * platform no host is blamed for the silence.
 */
export const createHostWatch = ({ database, goneAfterS, logger }: HostWatchOptions): BackgroundLoop => ({
  name: 'host-watch',
  run: async (signal) => {
    /** What was seen of each host, and since when nothing else was. */
    const silent = new Map<string, { readonly seenAt: number; readonly since: number }>();
    while (!signal.aborted) {
      await placeWaiting(database);
      for (const host of (await listHosts(database)).filter(({ goneAt }) => goneAt === null)) {
        const seenAt = host.seenAt.getTime();
        const before = silent.get(host.id);
        if (before === undefined || before.seenAt !== seenAt)
          silent.set(host.id, { seenAt, since: performance.now() });
        else if (performance.now() - before.since >= goneAfterS * 1000) {
          if (await giveUpHost(database, host, host.seenAt))
            logger.error({ host: host.name, host_id: host.id }, 'Host marked as lost: no heartbeat.');
        }
      }
      await sweepLostHosts(database);
      await pause(Math.min(EVERY_MS, goneAfterS * 250), signal);
    }
  },
});
