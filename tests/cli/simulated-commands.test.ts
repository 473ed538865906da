import { expect, it } from '@jest/globals';
import type { Backoff } from '../../cli/simulate/backoff.js';
import { CommandLoop, type CommandParts } from '../../cli/simulate/command-loop.js';
import { Deliveries } from '../../cli/simulate/deliveries.js';

const HOUR_MS = 3_600_000;

/** The commands that a simulated device runs of those that were delivered at a time with a time left. */
async function carriedOut(
  deliveredAt: number,
  leftMs: readonly number[],
  deliveries = new Deliveries(),
): Promise<string[]> {
  const end = new AbortController();
  const acknowledged: string[] = [];
  const at = (ms: number) => new Date(ms).toISOString();
  const items = leftMs.map((left) => ({
    ...{ id: `${left}`, type: 'refresh_config', args: {}, deliveries: 1 },
    ...{ expires_at: at(deliveredAt + left), lease_until: at(deliveredAt + 60_000) },
  }));
  const polls = [items];
  const call = async ({ path }: { path: string }) => {
    const [, id] = /^\/commands\/(.*):ack$/.exec(path) ?? [];
    if (id !== undefined) acknowledged.push(id);
    const body = id === undefined ? { items: polls.pop() ?? [] } : { state: 'succeeded', finished_at: null };
    if (id === undefined && body.items?.length === 0) end.abort();
    return { body };
  };
  const parts = {
    ...{ device: 'cam', client: { call }, figures: { commands: 0, breach: () => undefined } },
    ...{ ledger: { effect: () => undefined, ended: () => undefined }, isDoubled: () => false },
    policy: { refresh: async () => 1 },
    deliveries,
  } as unknown as CommandParts;
  await new CommandLoop(parts, { success: () => undefined } as Backoff).run(end.signal);
  return acknowledged;
}

it('a simulated device runs what has time left by the clock of the platform alone', async () => {
  for (const deliveredAt of [Date.now() - HOUR_MS, Date.now() + HOUR_MS])
    expect(await carriedOut(deliveredAt, [600_000, -1000])).toEqual(['600000']);
});

it('a simulated device leaves what has expired while its answer was on its way', async () => {
  const deliveries = new Deliveries();
  const now = Date.now() + HOUR_MS;
  expect(await carriedOut(now, [600_000], deliveries)).toEqual(['600000']);
  // Delivered five seconds ago by the same clock, with three seconds left then.
  expect(await carriedOut(now - 5000, [3000, 60_000], deliveries)).toEqual(['60000']);
});
