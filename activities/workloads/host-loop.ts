import type { Logger } from '../../core/logging/logger.js';
import { holdAdvisoryLock } from '../../models/orm/advisory-lock.js';
import type { Listener } from '../../models/orm/listener.js';
import { WORKLOADS_CHANNEL } from '../../models/workloads/workload-channel.js';
import type { BackgroundLoop } from '../support/background.js';
import { WakeSignal } from '../support/wake-signal.js';
import type { HostAgent } from './host-agent.js';

export interface HostLoopOptions {
  readonly agent: HostAgent;
  /** Looks after the processes of this host until the signal comes. */
  readonly runner: { run(signal: AbortSignal): Promise<void> };
  readonly listener: Listener;
  readonly connectionString: string;
  /** Names the host: one holder for each. */
  readonly place: string;
  readonly logger: Logger;
}

/** Something is under way: its status changes within a second. */
const BUSY_MS = 400;
const QUIET_MS = 2_000;
/** Wishes come with a call; a lost one is found by then. */
const READ_EVERY_MS = 15_000;

/** One of the workers that share a host looks after its workloads; when it dies the next one takes over. */
export const createHostLoop = (options: HostLoopOptions): BackgroundLoop => ({
  name: 'host',
  run: (signal) => {
    const { connectionString, place, logger, runner } = options;
    return holdAdvisoryLock({ connectionString, name: `workloads:${place}`, signal }, async (held) => {
      logger.info({ place }, 'This worker looks after the workloads of its host.');
      await Promise.all([runner.run(held), follow(options, held)]);
    });
  },
});

async function follow({ agent, listener, logger }: HostLoopOptions, signal: AbortSignal): Promise<void> {
  const wakeUp = new WakeSignal(signal);
  let readAt = 0;
  const call = () => {
    readAt = 0;
    wakeUp.set();
  };
  const unsubscribe = listener.subscribe({
    channel: WORKLOADS_CHANNEL,
    onNotify: call,
    onUp: call,
    onDown: call,
  });
  try {
    while (!signal.aborted) {
      let isBusy = false;
      try {
        if (Date.now() - readAt >= READ_EVERY_MS) {
          readAt = Date.now();
          await agent.read();
        }
        isBusy = await agent.look();
      } catch (error) {
        logger.warn({ err: error }, 'The workloads of this host could not be looked at; it is tried again.');
        readAt = 0;
      }
      await wakeUp.wait(isBusy || !listener.isUp ? BUSY_MS : QUIET_MS);
    }
  } finally {
    unsubscribe();
    await agent.settle();
  }
}
