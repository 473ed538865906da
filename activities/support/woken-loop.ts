import type { Listener } from '../../models/orm/listener.js';
import type { BackgroundLoop } from './background.js';
import { WakeSignal } from './wake-signal.js';

/** Nothing is asked for without a call, so that this look finds what a lost call left behind. */
const NET_MS = 30_000;
/** Calls are lost as long as nobody listens. */
const UNHEARD_MS = 2000;

export interface WokenLoop {
  readonly name: string;
  readonly listener: Listener;
  /** On which a trigger of the table calls that holds the work. */
  readonly channel: string;
  /** @returns in how many milliseconds more falls due, 0 when there is more now, null when nothing is known of */
  readonly pass: (signal: AbortSignal) => Promise<number | null>;
}

/** Works when it is called and when something falls due, and rests in between: a platform that nobody uses hardly wakes. */
export const createWokenLoop = ({ name, listener, channel, pass }: WokenLoop): BackgroundLoop => ({
  name,
  run: async (signal) => {
    const wakeUp = new WakeSignal(signal);
    const wake = () => wakeUp.set();
    const unsubscribe = listener.subscribe({ channel, onNotify: wake, onUp: wake, onDown: wake });
    try {
      while (!signal.aborted) {
        wakeUp.reset();
        const dueMs = (await pass(signal)) ?? NET_MS;
        if (dueMs > 0) await wakeUp.wait(Math.min(dueMs, listener.isUp ? NET_MS : UNHEARD_MS));
      }
    } finally {
      unsubscribe();
    }
  },
});
