import { describe, expect, it } from '@jest/globals';
import type { Listener, Subscription } from '../../models/orm/listener.js';
import { StateCalls } from '../../models/orm/state-calls.js';

describe('waiting for the state of a row', () => {
  let subscription: Subscription;
  const listener = {
    subscribe: (one: Subscription) => {
      subscription = one;
      return () => undefined;
    },
  } as unknown as Listener;
  const states = new StateCalls(listener);
  const call = () => subscription.onNotify?.('');
  /** Reads 1, 2, 3, ... and does something at each. */
  const counting = (then: (count: number) => void = () => undefined) => {
    let count = 0;
    return async () => {
      count += 1;
      then(count);
      return count;
    };
  };

  it('answers a row that is as wanted at once', async () => {
    expect(await states.until(counting(), (count) => count === 1)).toBe(1);
  });

  it('reads again whenever it is called, also for a call that comes while it reads', async () => {
    // Without a call nothing is read again before the test is given up.
    const called = new StateCalls(listener, 3_600_000);
    expect(await called.until(counting(call), (count) => count === 20, { withinMs: 3_600_000 })).toBe(20);
  });

  it('finds a change whose call was lost', async () => {
    expect(await states.until(counting(), (count) => count === 2)).toBe(2);
  });

  it('answers what it read last once the time is over', async () => {
    expect(await states.until(counting(), () => false, { withinMs: 50 })).toBe(2);
  });

  it('answers when nobody waits any more', async () => {
    const gone = new AbortController();
    const read = counting((count) => count === 1 && gone.abort());
    expect(await states.until(read, () => false, { signal: gone.signal })).toBe(1);
  });
});
