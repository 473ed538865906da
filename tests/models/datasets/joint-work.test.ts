import { describe, expect, it } from '@jest/globals';
import { JointRounds } from '../../../api/datasets/joint-work.js';
import { translateCommitError } from '../../../models/orm/database-errors.js';

describe('work done together', () => {
  it('joins what comes while a round is under way, and keeps results apart', async () => {
    const rounds: number[][] = [];
    const work = {
      run: async (items: readonly number[]) => {
        rounds.push([...items]);
        await new Promise((resolve) => setTimeout(resolve, 5));
        return items.map((item) => (item % 10 === 3 ? new Error(`no ${item}`) : item * 2));
      },
      fits: (items: readonly number[], item: number) => !items.some((other) => other % 10 === item % 10),
    };
    const joint = new JointRounds<number, number>();
    const settled = await Promise.allSettled([1, 2, 3, 12, 4].map((item) => joint.add('a', item, work)));
    expect(settled.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)))).toEqual([2, 4, 'Error: no 3', 24, 8]);
    expect(rounds).toEqual([[1], [2, 3, 4], [12]]);
  });

  it('tries each alone when a round fails, so that one does not take the others with it', async () => {
    const work = {
      run: async (items: readonly number[]) => {
        if (items.includes(2)) throw new Error('two');
        return items;
      },
    };
    const joint = new JointRounds<number, number>();
    const settled = await Promise.allSettled([1, 2, 3].map((item) => joint.add('a', item, work)));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await expect(joint.add('a', 5, work)).resolves.toBe(5);
  });

  it('repeats nothing when the answer to its commit was lost', async () => {
    let rounds = 0;
    const work = {
      run: async (items: readonly number[]) => {
        rounds += 1;
        if (items.includes(2)) throw translateCommitError(new Error('Connection terminated unexpectedly'));
        return items;
      },
    };
    const joint = new JointRounds<number, number>();
    const settled = await Promise.allSettled([1, 2, 3].map((item) => joint.add('a', item, work)));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(rounds).toBe(2);
    expect((settled[1] as PromiseRejectedResult).reason).toMatchObject({ code: 'service_unavailable' });
  });
});
