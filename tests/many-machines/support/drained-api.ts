import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { openSse } from '../../api/support/sse-reader.js';
import type { PlatformClient } from '../../setup/platform-client.js';
import type { Fleet } from './fleet.js';

/** What an API waits by default where it runs in production, but for the precision of clocks. */
const DRAIN_MS = 4900;
/** Longer than a load balancer takes to see who is ready. */
const SEEN_WITHIN_MS = 3000;

/** A test of an API that is stopped in order while people work, and comes back. */
export function drainedApi(stage: () => { readonly fleet: Fleet; readonly client: PlatformClient }): void {
  it('loses no request while one API is stopped in order and comes back', async () => {
    const { fleet, client } = stage();
    const lost: string[] = [];
    let [answered, isOver] = [0, false];
    const ask = async (status: number, method: string, path: string, json?: unknown) => {
      const answer = await client
        .call(method, path, json === undefined ? {} : { json })
        .catch((error: Error) => ({ status: error.message }));
      if (answer.status === status) answered += 1;
      else lost.push(`${method} ${path}: ${answer.status}`);
    };
    const reading = async () => {
      while (!isOver) await ask(200, 'GET', '/api/v1/datasets');
    };
    const writing = async (name: string) => {
      for (let number = 0; !isOver; number += 1) {
        const id = `${name}-${number}`;
        await ask(201, 'POST', '/api/v1/datasets', { id, name: id });
        await ask(204, 'DELETE', `/api/v1/datasets/${id}`);
      }
    };
    const headers = { authorization: `Bearer ${client.token}`, 'x-tenant': client.tenant as string };
    const open = () => openSse(`${fleet.apis.b}/api/v1/stream/notifications`, headers);
    let stream = await open();
    // The places of streams that were closed just before become free a moment later.
    for (let left = 100; left > 0 && stream.status === 429; left -= 1, await sleep(50)) stream = await open();
    expect(stream.status).toBe(200);
    const ended = (async () => {
      for (;;) await stream.next(60_000);
    })();
    ended.catch(() => undefined);
    const working = Promise.all([reading(), reading(), writing('drain-a'), writing('drain-b')]);
    try {
      await sleep(1000);
      expect(fleet.passedTo('b')).toBeGreaterThan(0);
      const startedAt = performance.now();
      const stopped = fleet.stop('api b');
      await untilStatus(503, `${fleet.directly('b')}/readyz`);
      await sleep(SEEN_WITHIN_MS);
      const passed = fleet.passedTo('b');
      expect(await stopped).toBe(0);
      expect(performance.now() - startedAt).toBeGreaterThan(DRAIN_MS);
      // The load balancer sends no more requests to an API that is not ready.
      expect(fleet.passedTo('b')).toBe(passed);
      await expect(ended).rejects.toThrow('ended');
      expect(stream.retryMs).toBeGreaterThan(0);
      fleet.begin('api b');
      await fleet.ready();
      for (let left = 100; left > 0 && fleet.passedTo('b') === passed; left -= 1) await sleep(50);
      expect(fleet.passedTo('b')).toBeGreaterThan(passed);
    } finally {
      isOver = true;
      await working;
      stream.close();
    }
    process.stderr.write(`  ${answered} requests were answered while an API was replaced\n`);
    expect(lost).toEqual([]);
    expect(answered).toBeGreaterThan(100);
  });
}

async function untilStatus(status: number, url: string): Promise<void> {
  for (let left = 200; left > 0; left -= 1, await sleep(20))
    if (
      await fetch(url).then(
        (answer) => answer.status === status,
        () => false,
      )
    )
      return;
  throw new Error(`${url} did not answer ${status}`);
}
