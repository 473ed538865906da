import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { AssemblyLanes } from '../../../activities/datasets/assembly-lanes.js';

const never = new AbortController().signal;
const endless = (signal: AbortSignal) => sleep(60_000, 'never', { signal });

describe('lanes of assemblies', () => {
  it('are left for the long one by what takes long, unless it was begun before there were lanes', async () => {
    const lanes = new AssemblyLanes({ quickMs: 80, slowMs: 20 });
    expect(await lanes.run('a', 'quick', never, async () => 'done')).toBe('done');
    expect(await lanes.run('a', 'quick', never, endless)).toBe('long');
    const late = () => sleep(120, 'done');
    expect(await lanes.run('a', 'quick', never, late)).toBe('done');
    expect(await lanes.run('a', 'long', never, (signal) => sleep(120, 'done', { signal }))).toBe('done');
    expect(await lanes.run('a', undefined, never, (signal) => sleep(120, 'done', { signal }))).toBe('done');
  });

  it('pass on what fails and what is canceled', async () => {
    const lanes = new AssemblyLanes({ quickMs: 80, slowMs: 20 });
    const canceled = AbortSignal.abort(new Error('canceled'));
    for (const lane of ['quick', 'long', undefined] as const) {
      await expect(lanes.run('a', lane, never, () => Promise.reject(new Error('broken')))).rejects.toThrow(
        'broken',
      );
      await expect(lanes.run('a', lane, canceled, endless)).rejects.toThrow('aborted');
    }
  });

  it('leave a place of the quick one to others, once three of a tenant hold theirs for long', async () => {
    const lanes = new AssemblyLanes({ quickMs: 400, slowMs: 50 });
    const held = ['a1', 'a2', 'a3'].map(() => lanes.run('a', 'quick', never, endless));
    expect(await lanes.run('a', 'quick', never, async () => 'done')).toBe('done');
    await sleep(120);
    expect(await lanes.run('a', 'quick', never, async () => 'done')).toBe('wait');
    expect(await lanes.run('b', 'quick', never, async () => 'done')).toBe('done');
    expect(await Promise.all(held)).toEqual(['long', 'long', 'long']);
    expect(await lanes.run('a', 'quick', never, async () => 'done')).toBe('done');
  });

  it('give a tenant two places of the long one, which come back', async () => {
    const lanes = new AssemblyLanes();
    const stop = new AbortController();
    const held = Promise.allSettled([
      lanes.run('a', 'long', stop.signal, endless),
      lanes.run('a', 'long', stop.signal, endless),
    ]);
    expect(await lanes.run('a', 'long', never, async () => 'done')).toBe('wait');
    expect(await lanes.run('b', 'long', never, async () => 'done')).toBe('done');
    stop.abort();
    await held;
    expect(await lanes.run('a', 'long', never, async () => 'done')).toBe('done');
  });
});
