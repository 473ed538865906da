import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NotedKeys } from '../../../api/datasets/noted-keys.js';

/** Notes numbers, a moment later. */
function ledger() {
  const noted = new Set<string>();
  const rounds: number[] = [];
  let next = 0;
  return {
    noted,
    rounds,
    note: async (count: number) => {
      rounds.push(count);
      await new Promise((resolve) => setTimeout(resolve, 5));
      const keys = Array.from({ length: count }, () => String(next++));
      for (const key of keys) noted.add(key);
      return keys;
    },
    forget: async (keys: readonly string[]) => {
      for (const key of keys) noted.delete(key);
    },
  };
}

describe('keys of objects about to be written', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const all = async (taken: ReadonlyArray<Promise<string>>) => {
    await jest.advanceTimersByTimeAsync(20);
    return Promise.all(taken);
  };

  it('are noted one by one for whoever sends one file after the other', async () => {
    const [keys, notes] = [new NotedKeys(), ledger()];
    for (let n = 0; n < 3; n += 1) await all([keys.take('a', notes)]);
    expect(notes.rounds).toEqual([1, 1, 1]);
  });

  it('are noted ahead where several come at once, each given out once, and forgotten when nobody comes', async () => {
    const [keys, notes] = [new NotedKeys(), ledger()];
    const first = await all(Array.from({ length: 4 }, () => keys.take('a', notes)));
    expect(notes.rounds).toEqual([1, 3 + 12]);
    const second = await all(Array.from({ length: 10 }, () => keys.take('a', notes)));
    expect(notes.rounds).toHaveLength(2);
    expect(new Set([...first, ...second]).size).toBe(14);
    await jest.advanceTimersByTimeAsync(1000);
    expect(notes.noted).toEqual(new Set([...first, ...second]));
    await all([keys.take('a', notes)]);
    expect(notes.rounds).toEqual([1, 15, 1]);
  });

  it('of one dataset are never those of another, and a refusal reaches everybody', async () => {
    const [keys, notes] = [new NotedKeys(), ledger()];
    await all([keys.take('a', notes), keys.take('a', notes), keys.take('a', notes)]);
    const refused = { ...notes, note: () => Promise.reject(new Error('a sync runs')) };
    const settled = Promise.allSettled([keys.take('b', refused), keys.take('b', refused)]);
    await jest.advanceTimersByTimeAsync(20);
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
