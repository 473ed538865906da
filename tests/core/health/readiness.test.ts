import { describe, expect, it } from '@jest/globals';
import { Readiness } from '../../../core/health/readiness.js';

describe('the readiness of a process', () => {
  it('stands while no check fails, whatever is recorded beside them', async () => {
    const readiness = new Readiness({
      checks: { database: async () => undefined },
      notes: { notifications: () => Promise.reject(new Error('nothing is heard')) },
    });
    expect(await readiness.report()).toEqual({
      ready: true,
      checks: { database: 'ok', notifications: 'nothing is heard' },
    });
  });

  it('falls at once when the process stops, also for those who are answered by an older look', async () => {
    const readiness = new Readiness({ checks: {} });
    expect(await readiness.isReady()).toBe(true);
    readiness.refuse('stopping');
    expect(await readiness.isReady()).toBe(false);
    expect(await readiness.report()).toEqual({ ready: false, checks: { process: 'stopping' } });
  });

  it('is looked at once for all strangers who ask within a second', async () => {
    let looks = 0;
    const readiness = new Readiness({
      checks: {
        database: async () => {
          looks += 1;
        },
      },
    });
    await Promise.all(Array.from({ length: 50 }, () => readiness.isReady()));
    expect(looks).toBe(1);
    await new Promise((done) => setTimeout(done, 1100));
    await readiness.isReady();
    expect(looks).toBe(2);
  });
});
