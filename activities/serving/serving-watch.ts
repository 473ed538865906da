import { holdAdvisoryLock } from '../../models/orm/advisory-lock.js';
import type { Database } from '../../models/orm/in-tenant.js';
import {
  listWatchedEndpoints,
  recordSeen,
  takeQuietEndpoints,
  wakeEndpoints,
  type WatchedEndpoint,
} from '../../models/serving/watched-endpoints.platform.js';
import { type BackgroundLoop, pause } from '../support/background.js';

const EVERY_MS = 15_000;
/** Endpoints that are asked at the same time. */
const AT_ONCE = 50;

export interface ServingWatchOptions {
  readonly database: Database;
  /** Leads past a pooler: the watch holds a lock by it. */
  readonly connectionString: string;
  /** True when the inference server at this address answers its health question now. */
  readonly probe: (baseUrl: string, signal: AbortSignal) => Promise<boolean>;
  readonly everyMs?: number;
}

/**
 * Asks every endpoint that is up whether it answers, and wakes the workflows of those whose row says otherwise, so that the
 * workflow of an endpoint at rest need not look. Wakes those too that are to change and of which nobody has said anything for
 * minutes. One worker of the installation does it; when it dies the next one takes over.
 */
export const createServingWatch = (options: ServingWatchOptions): BackgroundLoop => ({
  name: 'serving-watch',
  run: (signal) =>
    holdAdvisoryLock(
      { connectionString: options.connectionString, name: 'serving-watch', signal },
      async (held) => {
        while (!held.aborted) {
          await watchOnce(options, held);
          await pause(options.everyMs ?? EVERY_MS, held);
        }
      },
    ),
});

async function watchOnce({ database, probe }: ServingWatchOptions, signal: AbortSignal): Promise<void> {
  const quiet = await takeQuietEndpoints(database, AT_ONCE);
  if (quiet.length > 0) await wakeEndpoints(database, quiet);
  for (let after: string | null = null; !signal.aborted; ) {
    const page: WatchedEndpoint[] = await listWatchedEndpoints(database, after, AT_ONCE);
    const agrees = await Promise.all(page.map((endpoint) => isAsItsRowSays(endpoint, probe, signal)));
    if (signal.aborted) return;
    const changed = page.filter((_, index) => !agrees[index]);
    if (changed.length > 0) await wakeEndpoints(database, changed);
    const steady = page.filter((_, index) => agrees[index]);
    if (steady.length > 0)
      await recordSeen(
        database,
        steady.map(({ id }) => id),
      );
    after = page.at(-1)?.id ?? null;
    if (page.length < AT_ONCE) return;
  }
}

async function isAsItsRowSays(
  { instances, running }: WatchedEndpoint,
  probe: ServingWatchOptions['probe'],
  signal: AbortSignal,
): Promise<boolean> {
  const answers = await Promise.all(running.map((url) => probe(url, signal)));
  const answering = new Set(running.filter((_, index) => answers[index]));
  return answering.size === instances.length && instances.every((url) => answering.has(url));
}
