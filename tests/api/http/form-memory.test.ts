import { describe, expect, it } from '@jest/globals';
import { FormMemory } from '../../../api/http/form-memory.js';

const MIB = 2 ** 20;
const busy = { code: 'service_unavailable', options: { retryAfterS: 5 } };

describe('the memory of form files', () => {
  it('is given up to its budget, and to those who wait once it is given back', async () => {
    const memory = new FormMemory({ small: MIB, large: 16 * MIB });
    const first = await memory.take(null);
    expect([first.first.length, first.second()?.length, first.second()]).toEqual([8 * MIB, 8 * MIB, null]);
    let isServed = false;
    const next = memory.take(5 * MIB).then((buffers) => {
      isServed = true;
      return buffers;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isServed).toBe(false);
    first.release(true);
    expect((await next).first.length).toBe(8 * MIB);
  });

  it('has room of its own for small files, as large as they are', async () => {
    const memory = new FormMemory({ small: MIB, large: 8 * MIB });
    await memory.take(2 * MIB);
    const small = await memory.take(3000);
    expect([small.first.length, small.second()]).toEqual([3000, null]);
  });

  it('is used again only where nobody may read it any more', async () => {
    const memory = new FormMemory({ small: MIB, large: 8 * MIB });
    const [one] = [await memory.take(null)];
    one.release(false);
    const other = await memory.take(null);
    expect(other.first).not.toBe(one.first);
    other.release(true);
    other.release(true);
    expect((await memory.take(null)).first).toBe(other.first);
  });

  it('is refused with a time to come again when too many wait, or for too long', async () => {
    const memory = new FormMemory({ small: MIB, large: 8 * MIB }, 300);
    await memory.take(null);
    const waiting = Array.from({ length: 64 }, () => memory.take(null));
    const began = Date.now();
    await expect(memory.take(null)).rejects.toMatchObject(busy);
    expect(Date.now() - began).toBeLessThan(200);
    for (const one of await Promise.allSettled(waiting)) expect(one).toMatchObject({ status: 'rejected', reason: busy });
    await expect(memory.take(100)).resolves.toBeDefined();
  });
});
