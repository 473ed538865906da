import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { GroupCommit } from '../../../core/load/group-commit.js';

interface Batch {
  readonly key: string;
  readonly bytes?: number;
  readonly isBad?: boolean;
}

/** Stores when it is asked to; remembers the groups. */
function ground(options: { lanes?: number; waiting?: number; isStuck?: boolean } = {}) {
  const groups: string[] = [];
  const waiting: Array<() => void> = [];
  const writer = new GroupCommit<Batch, string>({
    commit: async (group) => {
      groups.push(group.map(({ key }) => key).join(' '));
      if (options.isStuck) await new Promise<void>((resolve) => waiting.push(resolve));
      if (group.some(({ key }) => key === 'lost')) throw new Error('lost');
      if (group.some(({ isBad }) => isBad)) throw new Error('bad');
      return group.map(({ key }) => `stored ${key}`);
    },
    bytesOf: ({ bytes = 1 }) => bytes,
    keyOf: ({ key }) => key,
    maxGroupBytes: 4,
    maxWaitingBytes: options.waiting ?? 100,
    lanes: options.lanes ?? 1,
    isOfOneBatch: (error) => (error as Error).message === 'bad',
  });
  const free = async () => {
    for (let left = 3; left > 0; left -= 1) await turn();
    waiting.shift()?.();
    for (let left = 3; left > 0; left -= 1) await turn();
  };
  return { writer, groups, free };
}

it('stores what waits together, in turn, and answers each of them', async () => {
  const { writer, groups } = ground();
  const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
  expect(await Promise.all(keys.map((key) => writer.write({ key })))).toEqual(
    keys.map((key) => `stored ${key}`),
  );
  expect(groups).toEqual(['a b c d', 'e f']);
});

it('answers nobody before the group is stored, and fills the next group meanwhile', async () => {
  const { writer, groups, free } = ground({ isStuck: true });
  const answered: string[] = [];
  const write = (key: string) => void writer.write({ key }).then((answer) => answered.push(answer));
  write('a');
  await turn();
  for (const key of ['b', 'c']) write(key);
  await turn();
  expect([groups, answered]).toEqual([['a'], []]);
  await free();
  expect([groups, answered]).toEqual([['a', 'b c'], ['stored a']]);
  await free();
  expect(answered).toEqual(['stored a', 'stored b', 'stored c']);
});

it('stores as many groups at the same time as it has lanes', async () => {
  const { writer, groups, free } = ground({ isStuck: true, lanes: 2 });
  const all = [5, 5, 5].map((bytes, n) => writer.write({ key: String(n), bytes }));
  await turn();
  expect(groups).toEqual(['0', '1']);
  for (let left = 3; left > 0; left -= 1) await free();
  await Promise.all(all);
});

it('keeps two of the same key apart, and lets nobody pass a batch that is too large for the group', async () => {
  const { writer, groups } = ground();
  const batches = [{ key: 'a' }, { key: 'a' }, { key: 'b' }, { key: 'large', bytes: 9 }, { key: 'c' }];
  await Promise.all(batches.map((batch) => writer.write(batch)));
  expect(groups).toEqual(['a b', 'a', 'large', 'c']);
});

it('fails the batch at fault alone', async () => {
  const { writer } = ground();
  const ends = await Promise.allSettled(
    [{ key: 'a' }, { key: 'b', isBad: true }, { key: 'c' }].map((batch) => writer.write(batch)),
  );
  expect(ends.map((end) => (end.status === 'fulfilled' ? end.value : (end.reason as Error).message))).toEqual(
    ['stored a', 'bad', 'stored c'],
  );
});

it('fails the whole group for what is the fault of none', async () => {
  const { writer, groups } = ground();
  const ends = await Promise.allSettled(['a', 'lost', 'c'].map((key) => writer.write({ key })));
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(groups).toHaveLength(1);
});

it('refuses what is too much, takes what is larger than all where nothing waits, and goes on afterwards', async () => {
  const { writer, free } = ground({ isStuck: true, waiting: 3 });
  const first = writer.write({ key: 'huge', bytes: 50 });
  await turn();
  const second = writer.write({ key: 'b', bytes: 3 });
  await expect(writer.write({ key: 'c' })).rejects.toMatchObject({
    code: 'service_unavailable',
    options: { retryAfterS: 1 },
  });
  await free();
  await free();
  expect(await Promise.all([first, second])).toEqual(['stored huge', 'stored b']);
  const third = writer.write({ key: 'c' });
  await free();
  expect(await third).toBe('stored c');
});

it('stores what waits before it closes, and nothing after that', async () => {
  const { writer, groups } = ground();
  const written = ['a', 'b', 'c', 'd', 'e'].map((key) => writer.write({ key }));
  await writer.close();
  expect(groups).toEqual(['a b c d', 'e']);
  expect(await Promise.all(written)).toHaveLength(5);
  await expect(writer.write({ key: 'f' })).rejects.toMatchObject({ code: 'service_unavailable' });
});
