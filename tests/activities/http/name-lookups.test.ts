import type { LookupAddress } from 'node:dns';
import { setTimeout as sleep, setImmediate as soon } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { sharedLookUps, systemResolve } from '../../../activities/adapters/http/name-lookups.js';

const ADDRESS: LookupAddress = { address: '192.0.2.1', family: 4 };

describe('look-ups of names of sources', () => {
  /** Name servers that answer when they are told to. */
  function slow(atOnce: number, waitMs?: number) {
    const asked: string[] = [];
    const waiting = new Map<string, () => void>();
    const resolve = sharedLookUps(
      (host, callback) => {
        asked.push(host);
        if (host === 'bad name') throw new TypeError('no name');
        waiting.set(host, () => callback(null, [ADDRESS]));
      },
      atOnce,
      waitMs,
    );
    const told: Array<[string, unknown]> = [];
    const ask = (host: string) => resolve(host, (error, addresses) => told.push([host, error ?? addresses]));
    return { asked, told, ask, answer: (host: string) => waiting.get(host)?.() };
  }

  it('are few at a time, and those of one name are one', async () => {
    const { asked, told, ask, answer } = slow(2);
    for (const host of ['a', 'a', 'b', 'c', 'a']) ask(host);
    await soon();
    expect(asked).toEqual(['a', 'b']);
    answer('a');
    await soon();
    expect(asked).toEqual(['a', 'b', 'c']);
    expect(told).toEqual(Array(3).fill(['a', [ADDRESS]]));
    // An answer is not kept: the next connection looks anew.
    answer('b');
    ask('a');
    await soon();
    expect(asked).toEqual(['a', 'b', 'c', 'a']);
  });

  it('give their place back when they fail', async () => {
    const { asked, told, ask } = slow(1);
    ask('bad name');
    ask('b');
    await soon();
    expect(told).toEqual([['bad name', expect.any(TypeError)]]);
    expect(asked).toEqual(['bad name', 'b']);
  });

  it('are left out for which nobody waits any more', async () => {
    const { asked, told, ask, answer } = slow(1, 100);
    for (const host of ['dead', 'late']) ask(host);
    await sleep(200);
    ask('b');
    answer('dead');
    await soon();
    expect(asked).toEqual(['dead', 'b']);
    expect(told[0]).toEqual(['late', expect.objectContaining({ name: 'TimeoutError' })]);
  });

  it('answer as the system does', async () => {
    const found = await new Promise<LookupAddress[]>((resolve) => systemResolve('localhost', (_error, addresses) => resolve(addresses)));
    expect(found.length).toBeGreaterThan(0);
    expect(found.every(({ address }) => address === '::1' || address.startsWith('127.'))).toBe(true);
  });
});
