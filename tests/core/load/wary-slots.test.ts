import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { WarySlots } from '../../../core/load/wary-slots.js';

const never = new AbortController().signal;
const untilIdle = () => new Promise((resolve) => setImmediate(resolve));

function start(limits: Partial<ConstructorParameters<typeof WarySlots>[0]> = {}) {
  const slots = new WarySlots({ total: 2, ahead: 4, slowMs: 30, ...limits });
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, signal = never) =>
    slots.during(
      name.charAt(0),
      async () => {
        running.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        running.splice(running.indexOf(name), 1);
      },
      signal,
    );
  const end = async (name: string) => {
    ends.get(name)?.();
    await untilIdle();
  };
  return { slots, running, run, end };
}

describe('places that owners take in turns', () => {
  it('are all for one owner alone, and those of others come between', async () => {
    const { running, run, end } = start({ slowMs: 60_000 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) void run(name);
    await untilIdle();
    expect(running).toEqual(['a1', 'a2']);
    await end('a1');
    expect(running).toEqual(['a2', 'b1']);
  });

  it('are fewer for owners whose work is slow, also for what waited already: one stays with the others', async () => {
    const { running, run, end } = start();
    for (const name of ['a1', 'a2', 'a3', 'a4']) void run(name);
    await sleep(60);
    await end('a1');
    await end('a2');
    expect(running).toEqual(['a3']);
    void run('b1');
    await untilIdle();
    expect(running).toEqual(['a3', 'b1']);
    await sleep(60);
    // Both are slow by now: together they leave one place.
    void run('b2');
    await end('b1');
    expect(running).toEqual(['a3']);
    void run('c1');
    await untilIdle();
    expect(running).toEqual(['a3', 'c1']);
  });

  it('are all for an owner again whose work was slow long ago', async () => {
    const { running, run, end } = start({ forMs: 50 });
    void run('a1');
    await sleep(60);
    await end('a1');
    await sleep(60);
    for (const name of ['a2', 'a3']) void run(name);
    await untilIdle();
    expect(running).toEqual(['a2', 'a3']);
  });

  it('say when too many of an owner wait, and let those who wait leave', async () => {
    const { slots, run, end } = start();
    const leaving = new AbortController();
    const works = Promise.allSettled(['a1', 'a2', 'a3', 'a4'].map((name) => run(name, leaving.signal)));
    await untilIdle();
    expect([slots.isFull('a'), slots.isFull('b')]).toEqual([true, false]);
    leaving.abort(new Error('left'));
    for (const name of ['a1', 'a2']) await end(name);
    expect((await works).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
    expect(slots.isFull('a')).toBe(false);
  });
});
