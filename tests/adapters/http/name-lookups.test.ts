import type { LookupAddress } from 'node:dns';
import { setTimeout as sleep, setImmediate as soon } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createRemoteSource } from '../../../adapters/http/http-remote-source.js';
import { type LookUpTimes, NameLookUps, systemResolve } from '../../../adapters/http/name-lookups.js';
import type { AppError } from '../../../core/errors/app-error.js';
import { SourceServer } from '../../fakes/source-server/source-server.js';

const ADDRESS: LookupAddress = { address: '192.0.2.1', family: 4 };

/** Name servers that answer when they are asked to. */
function slow(times: Partial<LookUpTimes> = {}) {
  const asked: string[] = [];
  const waiting = new Map<string, () => void>();
  const names = new NameLookUps(
    (host, callback) => {
      asked.push(host);
      if (host === 'bad name') throw new TypeError('no name');
      waiting.set(host, () => callback(null, [ADDRESS]));
    },
    { waitMs: 5000, ...times },
  );
  const reported: Array<[string, unknown]> = [];
  const ask = (tenant: string, host: string) =>
    names.of(tenant)(host, (error, addresses) =>
      reported.push([`${tenant} ${host}`, error?.code ?? error ?? addresses]),
    );
  return {
    asked,
    reported,
    ask,
    answer: async (host: string) => {
      waiting.get(host)?.();
      await soon();
    },
  };
}

describe('look-ups of names of sources', () => {
  it('are few at a time, and those of one name are one', async () => {
    const { asked, reported, ask, answer } = slow();
    for (const [tenant, host] of [
      ['1', 'a'],
      ['1', 'a'],
      ['2', 'b'],
      ['3', 'c'],
    ] as const)
      ask(tenant, host);
    await soon();
    for (const tenant of ['2', '3']) ask(tenant, 'a');
    expect(asked).toEqual(['a', 'b']);
    await answer('a');
    expect(asked).toEqual(['a', 'b', 'c']);
    expect(reported.sort()).toEqual(['1 a', '1 a', '2 a', '3 a'].map((who) => [who, [ADDRESS]]));
    // A quick answer is not kept: the next connection looks anew.
    await answer('b');
    ask('1', 'a');
    await soon();
    expect(asked).toEqual(['a', 'b', 'c', 'a']);
  });

  it('give their place back when they fail', async () => {
    const { asked, reported, ask } = slow();
    ask('1', 'bad name');
    ask('1', 'b');
    await soon();
    expect(reported).toEqual([['1 bad name', expect.any(TypeError)]]);
    expect(asked).toEqual(['bad name', 'b']);
  });

  it('of one tenant do not keep those of another waiting', async () => {
    const { asked, reported, ask, answer } = slow();
    for (let name = 1; name <= 12; name += 1) ask('1', `dead${name}`);
    ask('2', 'b');
    await soon();
    expect(asked).toEqual(['dead1', 'b']);
    await answer('b');
    expect(reported).toEqual([['2 b', [ADDRESS]]]);
    // Another tenant waits for the same name in a queue of its own.
    ask('2', 'dead12');
    await soon();
    expect(asked).toEqual(['dead1', 'b', 'dead12']);
  });

  it('of names that answered quickly have a place that others never have', async () => {
    const { asked, reported, ask, answer } = slow();
    ask('1', 'good');
    await soon();
    await answer('good');
    for (const tenant of ['1', '2', '3', '4']) ask(tenant, `dead${tenant}`);
    ask('1', 'good');
    await soon();
    expect(asked.sort()).toEqual(['dead1', 'dead2', 'good', 'good']);
    await answer('good');
    expect(reported).toHaveLength(2);
  });

  it('tell names that do not answer from those that were not asked for', async () => {
    const { asked, reported, ask, answer } = slow({ waitMs: 150, slowMs: 50 });
    for (const host of ['dead', 'late']) ask('1', host);
    await sleep(250);
    expect(reported).toEqual([
      ['1 dead', 'EAI_AGAIN'],
      ['1 late', 'LOOK_UPS_BUSY'],
    ]);
    // Nobody waits for it any more.
    await answer('dead');
    expect(asked).toEqual(['dead']);
  });

  it('are not done again for a while where they took long', async () => {
    const { asked, reported, ask, answer } = slow({ slowMs: 50, keepMs: 150 });
    ask('1', 'slow');
    await sleep(80);
    await answer('slow');
    ask('2', 'slow');
    await soon();
    expect(reported).toEqual(['1 slow', '2 slow'].map((who) => [who, [ADDRESS]]));
    expect(asked).toEqual(['slow']);
    await sleep(200);
    ask('2', 'slow');
    await soon();
    expect(asked).toEqual(['slow', 'slow']);
  });

  it('answer as the system does', async () => {
    const found = await new Promise<LookupAddress[]>((resolve) =>
      systemResolve('localhost', (_error, addresses) => resolve(addresses)),
    );
    expect(found.length).toBeGreaterThan(0);
    expect(found.every(({ address }) => address === '::1' || address.startsWith('127.'))).toBe(true);
  });
});

describe('sources of one tenant whose names are dead', () => {
  it('leave those of others alone, and are distinguished from what was not asked', async () => {
    const server = await SourceServer.start();
    const remote = createRemoteSource({
      allow: '127.0.0.0/8',
      limits: { connectMs: 2500 },
      resolve: (host, callback) => {
        if (host === 'good.example') callback(null, [{ address: '127.0.0.1', family: 4 }]);
        else
          setTimeout(
            () => callback(Object.assign(new Error('dead'), { code: 'EAI_AGAIN' }), []),
            6000,
          ).unref();
      },
    });
    const list = (tenantId: string, host: string) =>
      remote.listDatasets(
        { tenantId, baseUrl: server.baseUrl.replace('127.0.0.1', host), token: null },
        { page: 1, pageSize: 1 },
      );
    const dead = Promise.allSettled(
      Array.from({ length: 12 }, (_, at) => list('attacker', `a${at}.dead.example`)),
    );
    const healthy = await list('victim', 'good.example');
    expect(healthy.items).toEqual([]);
    const errors = (await dead).map((one) => (one as PromiseRejectedResult).reason as AppError);
    expect(errors[0]).toMatchObject({ code: 'bad_gateway', detail: { reason: 'name' } });
    for (const error of errors.slice(1))
      expect(error).toMatchObject({
        code: 'service_unavailable',
        detail: { reason: 'platform' },
        options: { retryAfterS: 5 },
      });
    expect(errors[1]?.message).toMatch(/^The platform is busy .* a1\.dead\.example:\d+ was not asked\.$/);
    await remote.close();
    await server.close();
  });
});
