import { describe, expect, it } from '@jest/globals';
import type { Listener, Subscription } from '../../models/orm/listener.js';
import { StateWaits } from '../../models/orm/state-waits.js';

describe('waiting for the state of a row', () => {
  let subscription: Subscription;
  const listener = {
    subscribe: (one: Subscription) => {
      subscription = one;
      return () => undefined;
    },
  } as unknown as Listener;
  const states = new StateWaits(listener);
  const call = (id = 'row') => subscription.onNotify?.(id);
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
    expect(await states.until('row', counting(), (count) => count === 1)).toBe(1);
  });

  it('reads again whenever it is called, also for a call that comes while it reads', async () => {
    // Without a call nothing is read again before the test is given up.
    const called = new StateWaits(listener, () => 3_600_000);
    expect(
      await called.until(
        'row',
        counting(() => call()),
        (count) => count === 20,
        { withinMs: 3_600_000 },
      ),
    ).toBe(20);
  });

  it('reads again for changes of its own row, and of all rows, alone', async () => {
    const waits = new StateWaits(listener, () => 3_600_000);
    const leaving = new AbortController();
    let readsOfOther = 0;
    const other = waits.until(
      'other',
      async () => (readsOfOther += 1),
      () => false,
      leaving,
    );
    await waits.until(
      'row',
      counting(() => call('row')),
      (count) => count === 20,
    );
    expect(readsOfOther).toBe(1);
    await waits.until(
      'row',
      counting(() => call('')),
      () => readsOfOther === 2,
    );
    leaving.abort();
    await other;
  });

  it('knows whether notifications come when it waits for the next', async () => {
    const asked: boolean[] = [];
    const up = { ...listener, isUp: true } as unknown as Listener;
    const waits = new StateWaits(up, (isListening) => {
      asked.push(isListening);
      return 0;
    });
    expect(await waits.until('row', counting(), (count) => count === 2)).toBe(2);
    expect(asked).toEqual([true]);
  });

  it('finds a change whose call was lost', async () => {
    expect(await states.until('row', counting(), (count) => count === 2)).toBe(2);
  });

  it('answers what it read last once the time is over', async () => {
    expect(await states.until('row', counting(), () => false, { withinMs: 50 })).toBe(2);
  });

  it('answers when nobody waits any more', async () => {
    const gone = new AbortController();
    const read = counting((count) => count === 1 && gone.abort());
    expect(await states.until('row', read, () => false, { signal: gone.signal })).toBe(1);
  });
});
