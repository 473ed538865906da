import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { FormMemory } from '../../../api/http/bodies/form-memory.js';

const MIB = 2 ** 20;
const busy = { code: 'service_unavailable', options: { retryAfterS: 5 } };

describe('the memory of form files', () => {
  it('is given up to its budget, and to those who wait once it is given back', async () => {
    const memory = new FormMemory({ small: 2 * MIB, large: 32 * MIB });
    const first = await memory.take('a', null);
    expect([first.first.length, first.second()?.length, first.second()]).toEqual([8 * MIB, 8 * MIB, null]);
    let isServed = false;
    const next = memory.take('a', 5 * MIB).then((buffers) => {
      isServed = true;
      return buffers;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isServed).toBe(false);
    first.release(true);
    expect((await next).first.length).toBe(8 * MIB);
  });

  it('has room of its own for small files, about as large as they are', async () => {
    const memory = new FormMemory({ small: 2 * MIB, large: 16 * MIB });
    await memory.take('a', 2 * MIB);
    const small = await memory.take('a', 3000);
    expect([small.first.length, small.second()]).toEqual([64 * 1024, null]);
    expect((await memory.take('a', 64 * 1024 + 1)).first.length).toBe(128 * 1024);
    small.release(true);
    expect((await memory.take('a', 2000)).first).toBe(small.first);
  });

  it('is used again only where nobody may read it any more', async () => {
    const memory = new FormMemory({ small: 2 * MIB, large: 16 * MIB });
    const [one] = [await memory.take('a', null)];
    one.release(false);
    const other = await memory.take('a', null);
    expect(other.first).not.toBe(one.first);
    other.release(true);
    other.release(true);
    expect((await memory.take('a', null)).first).toBe(other.first);
  });

  it('is refused with a time to come again when too many wait, or for too long', async () => {
    const memory = new FormMemory({ small: 2 * MIB, large: 16 * MIB }, 300);
    await memory.take('a', null);
    const over: string[] = [];
    const waiting = Array.from({ length: 64 }, () =>
      memory.take('a', null).finally(() => over.push('waited')),
    );
    await expect(memory.take('a', null).finally(() => over.push('at once'))).rejects.toMatchObject(busy);
    expect(over).toEqual(['at once']);
    for (const one of await Promise.allSettled(waiting))
      expect(one).toMatchObject({ status: 'rejected', reason: busy });
    expect((await memory.take('a', 100)).first).toHaveLength(64 * 1024);
  });

  it('leaves room for other tenants, however many forms one has', async () => {
    const memory = new FormMemory({ small: 2 * MIB, large: 32 * MIB }, 300);
    const held = [await memory.take('a', null), await memory.take('a', null)];
    const late = memory.take('a', null);
    const other = await memory.take('b', null);
    expect([other.second()?.length, other.second(), held[0]?.second()]).toEqual([8 * MIB, null, null]);
    await expect(late).rejects.toMatchObject(busy);
    await expect(memory.take('c', null)).rejects.toMatchObject(busy);
    other.release(true);
    expect((await memory.take('c', null)).first.length).toBe(8 * MIB);
    held[0]?.release(true);
    expect((await memory.take('a', null)).first.length).toBe(8 * MIB);
  });

  it('is within the budget with what is kept of other sizes', async () => {
    const memory = new FormMemory({ small: 2 * MIB, large: 16 * MIB });
    for (const size of [64, 128, 256, 512, 1024].map((kib) => kib * 1024)) {
      const forms = await Promise.all(
        ['a', 'b'].flatMap((tenant) => Array.from({ length: MIB / size }, () => memory.take(tenant, size))),
      );
      expect(memory.bytes).toBe(2 * MIB);
      for (const form of forms) form.release(true);
    }
    expect(memory.bytes).toBe(2 * MIB);
    const lost = await memory.take('a', MIB);
    lost.release(false);
    expect(memory.bytes).toBe(MIB);
  });
});

describe('the memory that form files no longer need', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('goes after a while, also while others come', async () => {
    jest.useFakeTimers();
    const memory = new FormMemory({ small: 2 * MIB, large: 16 * MIB });
    (await memory.take('a', MIB)).release(true);
    for (let left = 3; left > 0; left -= 1) {
      jest.advanceTimersByTime(4000);
      (await memory.take('a', 1000)).release(true);
    }
    expect(memory.bytes).toBe(64 * 1024);
    jest.advanceTimersByTime(10_000);
    expect(memory.bytes).toBe(0);
  });
});
