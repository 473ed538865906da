import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { BatchLoader } from '../../../core/load/batch-loader.js';

/** Loads of at most three keys, each of which ends when it is asked to. */
function ground(lanes = 1) {
  const batches: string[] = [];
  const ends: Array<PromiseWithResolvers<void>> = [];
  const loader = new BatchLoader<string, string>({
    ...{ most: 3, lanes },
    load: async (keys) => {
      batches.push(keys.join(' '));
      const end = Promise.withResolvers<void>();
      ends.push(end);
      await end.promise;
      return keys.map((key) => `loaded ${key}`);
    },
  });
  return { loader, batches, ends };
}

it('loads together what is asked for in one turn, and what comes while it loads', async () => {
  const { loader, batches, ends } = ground();
  const first = ['a', 'b'].map((key) => loader.load(key));
  await turn();
  const later: Promise<string>[] = [];
  for (const key of ['c', 'd', 'e', 'f']) {
    later.push(loader.load(key));
    await turn();
  }
  expect(batches).toEqual(['a b']);
  ends[0]?.resolve();
  expect(await Promise.all(first)).toEqual(['loaded a', 'loaded b']);
  await turn();
  expect(batches).toEqual(['a b', 'c d e']);
  ends[1]?.resolve();
  await Promise.all(later.slice(0, 3));
  await turn();
  ends[2]?.resolve();
  expect(await Promise.all(later)).toEqual(['c', 'd', 'e', 'f'].map((key) => `loaded ${key}`));
  expect(batches).toEqual(['a b', 'c d e', 'f']);
});

it('runs as many loads at the same time as it has lanes', async () => {
  const { loader, batches, ends } = ground(2);
  const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((key) => loader.load(key));
  await turn();
  expect(batches).toEqual(['a b c', 'd e f']);
  ends[1]?.resolve();
  await Promise.all(all.slice(3, 6));
  await turn();
  expect(batches).toEqual(['a b c', 'd e f', 'g']);
  for (const end of ends) end.resolve();
  expect(await Promise.all(all)).toHaveLength(7);
});

it('fails those of one load alone, and goes on', async () => {
  const { loader, ends } = ground();
  const all = Promise.allSettled(['a', 'b', 'c', 'd'].map((key) => loader.load(key)));
  await turn();
  ends[0]?.reject(new Error('lost'));
  while (ends.length < 2) await turn();
  ends[1]?.resolve();
  expect((await all).map(({ status }) => status)).toEqual([
    ...['rejected', 'rejected', 'rejected'],
    'fulfilled',
  ]);
  const next = loader.load('e');
  while (ends.length < 3) await turn();
  ends[2]?.resolve();
  expect(await next).toBe('loaded e');
});
