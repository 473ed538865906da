import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DatasetStatus } from '../../../models/datasets/catalog/dataset.types.js';
import { FileSummaryMemory } from '../../../models/datasets/files/file-summary-memory.js';

describe('what is remembered of the summary of all files', () => {
  let now: number;
  let counted: number;
  let memory: FileSummaryMemory<number>;
  beforeEach(() => {
    [now, counted] = [0, 0];
    memory = new FileSummaryMemory(() => now);
  });
  const ask = (status: DatasetStatus, revision = 1, takesMs = 100, id = 'd') =>
    memory.summaryOf({ id, revision, status }, async () => {
      now += takesMs;
      counted += 1;
      return counted;
    });

  it.each(['FROZEN', 'FAILED'] as const)(
    'is what was counted when %s, until the next revision',
    async (status) => {
      expect(await ask(status)).toBe(1);
      now += 1e9;
      expect([await ask(status), await ask('DRAFT', 2), await ask(status, 2)]).toEqual([1, 2, 3]);
    },
  );

  it.each(['DRAFT', 'VALIDATING'] as const)(
    'is, while %s, ten times as old as counting takes, and at most 10 s',
    async (status) => {
      await ask(status, 1, 100);
      now += 999;
      expect(await ask(status)).toBe(1);
      now += 2;
      expect(await ask(status, 1, 5000)).toBe(2);
      now += 9999;
      expect(await ask(status)).toBe(2);
      now += 2;
      expect(await ask(status)).toBe(3);
    },
  );

  it('is counted anew when a validation has ended, and when it begins again', async () => {
    expect([
      await ask('VALIDATING'),
      await ask('FROZEN'),
      await ask('FROZEN'),
      await ask('DRAFT', 2),
    ]).toEqual([1, 2, 2, 3]);
  });

  it('is of each dataset, and of so many at most', async () => {
    for (let n = 0; n < 65; n += 1) await ask('FROZEN', 1, 1, `d${n}`);
    expect([await ask('FROZEN', 1, 1, 'd64'), await ask('FROZEN', 1, 1, 'd0')]).toEqual([65, 66]);
  });

  it('is counted once for all who ask at the same time', async () => {
    expect(await Promise.all([ask('DRAFT'), ask('DRAFT'), ask('DRAFT', 2)])).toEqual([1, 1, 2]);
  });

  it('is handed to those who wait for it, however many are counted at the same time', async () => {
    const all = Array.from({ length: 100 }, (_, n) => ask('FROZEN', 1, 1, `d${n}`));
    expect(await Promise.all(all)).toHaveLength(100);
  });

  it('is nothing when counting fails', async () => {
    await expect(
      memory.summaryOf({ id: 'd', revision: 1, status: 'FROZEN' }, () => Promise.reject(new Error('no'))),
    ).rejects.toThrow('no');
    expect(await ask('FROZEN')).toBe(1);
  });
});
