import { describe, expect, it } from '@jest/globals';
import { Slots } from '../../../core/load/slots.js';

describe('slots', () => {
  it('are handed to the one who waits longest, and to nobody who comes in between', async () => {
    const slots = new Slots(1);
    let running = 0;
    let most = 0;
    const order: number[] = [];
    const job = (n: number) =>
      slots.during(async () => {
        most = Math.max(most, ++running);
        order.push(n);
        await Promise.resolve();
        running -= 1;
      });
    // A newcomer at the very moment of a release is the one that would slip in.
    const first = job(1).then(() => job(3));
    await Promise.all([first, job(2)]);
    expect([most, order]).toEqual([1, [1, 2, 3]]);
  });

  it('serve large amounts in turn, cap what nobody could have, and count a release once', async () => {
    const slots = new Slots(10);
    const small = await slots.take(4);
    const got: string[] = [];
    const large = slots.take(99).then((release) => {
      got.push('large');
      return release;
    });
    const later = slots.take(1).then((release) => {
      got.push('later');
      return release;
    });
    await Promise.resolve();
    expect([got, slots.waiting]).toEqual([[], 2]);
    small();
    small();
    (await large)();
    (await later)();
    expect([got, slots.waiting]).toEqual([['large', 'later'], 0]);
  });

  it('let those go who wait no longer, and serve who stood behind them', async () => {
    const slots = new Slots(10);
    const first = await slots.take(6);
    const impatient = new AbortController();
    const large = slots.take(8, impatient.signal);
    const small = slots.take(2);
    impatient.abort(new Error('enough'));
    await expect(large).rejects.toThrow('enough');
    const release = await small;
    expect(slots.waiting).toBe(0);
    await expect(slots.take(1, impatient.signal)).rejects.toThrow('enough');
    first();
    release();
    expect(slots.tryTake(10)).not.toBeNull();
  });

  it('are not taken by who does not want to wait while others do', async () => {
    const slots = new Slots(10);
    const release = slots.tryTake(6);
    expect(slots.tryTake(5)).toBeNull();
    const waiting = slots.take(8);
    expect(slots.tryTake(1)).toBeNull();
    release?.();
    (await waiting)();
    expect(slots.tryTake(1)).not.toBeNull();
  });
});
