import { describe, expect, it } from '@jest/globals';
import { SharedSlots } from '../../../core/load/shared-slots.js';

const never = new AbortController().signal;
const untilIdle = () => new Promise((resolve) => setImmediate(resolve));

describe('places that owners share', () => {
  it('are held by few of one owner and by so many of all, first come, first served', async () => {
    const slots = new SharedSlots(3, 2);
    const begun: string[] = [];
    const ends: Array<() => void> = [];
    const works = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) =>
      slots.during(
        name.charAt(0),
        () => {
          begun.push(name);
          return new Promise<void>((resolve) => ends.push(resolve));
        },
        never,
      ),
    );
    await untilIdle();
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    ends[2]?.();
    await untilIdle();
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1']);
    for (let at = 0; at < 5; at += 1) {
      ends[at]?.();
      await untilIdle();
    }
    await Promise.all(works);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
  });

  it('are given back by work that fails and by those who leave while they wait', async () => {
    const slots = new SharedSlots(1, 1);
    const leaving = new AbortController();
    const failing = slots.during('a', async () => Promise.reject(new Error('broken')), never);
    const waiting = slots.during('a', async () => 'late', leaving.signal);
    leaving.abort(new Error('left'));
    await expect(failing).rejects.toThrow('broken');
    await expect(waiting).rejects.toThrow('left');
    await expect(slots.during('a', async () => 'next', never)).resolves.toBe('next');
  });
});
