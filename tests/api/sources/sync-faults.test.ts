import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Fault } from '../../fakes/source-server/source-faults.js';
import { SourceServer } from '../../fakes/source-server/source-server.js';
import { faultySource, type FaultySource, FILES } from './support/faulty-source.js';

const PRIVATE = 'http://169.254.169.254/latest/meta-data/';

describe('syncs from a source with faults', () => {
  const source = faultySource();
  let kit: FaultySource['kit'];
  let server: FaultySource['server'];
  let fresh: FaultySource['fresh'];
  beforeAll(() => {
    ({ kit, server, fresh } = source());
  });

  describe('reach the same end when a fault passes', () => {
    it.each<[string, Fault, number]>([
      ['slow bodies', { kind: 'trickle', bytes: 16, everyMs: 5 }, 30],
      ['late heads', { kind: 'delay', ms: 300 }, 8],
      ['connections that break', { kind: 'cut', afterBytes: 50 }, 20],
      ['500', { kind: 'status', status: 500 }, 6],
      ['503 with Retry-After', { kind: 'status', status: 503, retryAfter: '1' }, 3],
      ['429 with Retry-After', { kind: 'status', status: 429, retryAfter: '1' }, 3],
      ['the whole where a part was asked for', { kind: 'no-ranges' }, 4],
    ])('%s', async (_name, fault, times) => {
      const { remote, dataset } = await fresh();
      const struck = [server.fail({ on: 'file', times, fault })];
      if (fault.kind === 'no-ranges')
        struck.push(server.fail({ on: 'file', times: 4, after: 2, fault: { kind: 'cut', afterBytes: 60 } }));
      expect(await kit.sync(dataset)).toMatchObject({
        status: 'done',
        error_count: 0,
        progress: { files_done: FILES },
      });
      expect((await kit.files(dataset)).size).toBe(remote.count);
      for (const count of struck) expect(count()).toBeGreaterThan(0);
    });

    it('an outage of the files alone, while the list answers', async () => {
      const { remote, dataset } = await fresh();
      const struck = server.fail({ on: 'file', after: 5, fault: { kind: 'status', status: 500 } });
      const { body } = await kit.start(dataset);
      await kit.until(`/${dataset}/syncs/${body.id}`, ({ status_message }) =>
        /could not give \d files?\. Trying again/.test(status_message),
      );
      expect(struck()).toBeGreaterThan(20);
      server.heal();
      expect(await kit.syncEnded(dataset, body.id)).toMatchObject({
        status: 'done',
        error_count: 0,
        progress: { files_done: FILES },
      });
      expect((await kit.files(dataset)).size).toBe(remote.count);
    });

    it('a file that is busy for longer than anybody waits beside it', async () => {
      const { dataset } = await fresh();
      const struck = server.fail({
        on: 'file',
        path: /\/4\.png$/,
        times: 1,
        fault: { kind: 'status', status: 429, retryAfter: '20' },
      });
      const begun = performance.now();
      expect(await kit.sync(dataset)).toMatchObject({
        status: 'done',
        error_count: 0,
        progress: { files_done: FILES },
      });
      expect([struck(), performance.now() - begun > 3000]).toEqual([1, true]);
    });
  });

  describe('list the file and take the others when a fault of one file stays', () => {
    it.each<[string, Fault, string]>([
      ['500', { kind: 'status', status: 500 }, 'busy'],
      ['404', { kind: 'status', status: 404 }, 'missing'],
      ['wrong bytes', { kind: 'wrong-sha256' }, 'wrong_sha256'],
      ['more bytes', { kind: 'wrong-size', by: 7 }, 'wrong_size'],
      ['fewer bytes', { kind: 'wrong-size', by: -7 }, 'wrong_size'],
      ['a redirect to a private address', { kind: 'redirect', to: PRIVATE }, 'address'],
      ['no HTTP', { kind: 'noise' }, 'shape'],
      ['another part than asked for', { kind: 'wrong-range' }, 'shape'],
      ['401', { kind: 'status', status: 401 }, 'credentials'],
      ['403 of a signed address', { kind: 'redirect', to: '' }, 'redirect'],
    ])('%s', async (_name, fault, code) => {
      const { dataset } = await fresh();
      const signed = fault.kind === 'redirect' && fault.to === '' ? await SourceServer.start() : null;
      signed?.fail({ fault: { kind: 'status', status: 403 } });
      const struck = server.fail({
        on: 'file',
        path: /\/4\.png$/,
        fault: signed ? { kind: 'redirect', to: `${signed.baseUrl}/datasets?signature` } : fault,
      });
      if (fault.kind === 'wrong-range')
        server.fail({ on: 'file', path: /\/4\.png$/, times: 1, fault: { kind: 'cut', afterBytes: 60 } });
      const ended = await kit.sync(dataset);
      expect(ended).toMatchObject({
        status: 'done',
        error_count: 1,
        errors: [{ path: 'c4/4.png', code }],
        progress: { files_done: FILES - 1, files_total: FILES },
      });
      expect(ended.status_message).toMatch(/11 files copied, 1 could not be taken/);
      expect(struck()).toBeGreaterThan(0);
      await signed?.close();
      expect([...(await kit.files(dataset)).keys()]).not.toContain('c4/4.png');
      server.heal();
      expect(await kit.sync(dataset)).toMatchObject({
        status: 'done',
        error_count: 0,
        plan: { add: { files: 1 }, unchanged: { files: FILES - 1 } },
      });
    });

    it('a connection that stands still half-way, in one try of each round', async () => {
      const { dataset } = await fresh();
      const struck = server.fail({ on: 'file', path: /\/4\.png$/, fault: { kind: 'stall', afterBytes: 50 } });
      const begun = performance.now();
      const ended = await kit.sync(dataset, 150_000);
      expect(ended).toMatchObject({
        status: 'done',
        error_count: 1,
        errors: [{ path: 'c4/4.png', code: 'timeout' }],
        progress: { files_done: FILES - 1 },
      });
      // Twice: 15 s in the quick lane, 20 s without a byte in the long one; between them the patience of 4 s, which those seconds use up.
      expect(struck()).toBeLessThanOrEqual(4);
      expect(performance.now() - begun).toBeLessThan(110_000);
    }, 180_000);

    it('in large files too, whose parts are freed', async () => {
      const { dataset } = await fresh((n) => (n === 4 ? 20_000_000 : 10));
      server.fail({ on: 'file', path: /\/4\.png$/, fault: { kind: 'wrong-sha256' } });
      expect(await kit.sync(dataset)).toMatchObject({
        status: 'done',
        errors: [{ code: 'wrong_sha256' }],
        progress: { bytes_done: 10 * (FILES - 1) },
      });
    });

    it('keeps the file there was before when its change cannot be copied', async () => {
      const { remote, dataset } = await fresh();
      await kit.sync(dataset);
      const before = await kit.files(dataset);
      remote.change(4);
      remote.remove(5);
      server.fail({ on: 'file', path: /\/4\.png$/, fault: { kind: 'status', status: 404 } });
      // A file that stays bad keeps no later sync from its end.
      expect(await kit.sync(dataset)).toMatchObject({
        status: 'done',
        error_count: 1,
        plan: { change: { files: 1 }, remove: { files: 1 } },
      });
      remote.add(1);
      expect(await kit.sync(dataset)).toMatchObject({
        status: 'done',
        error_count: 1,
        plan: { add: { files: 1 }, change: { files: 1 }, remove: { files: 0 } },
      });
      expect([...(await kit.files(dataset)).keys()]).not.toContain('c5/5.png');
      expect((await kit.files(dataset)).get('c4/4.png')).toBe(before.get('c4/4.png'));
    });
  });

  it('wait for a source that comes back, without an error and without a file twice', async () => {
    const first = await SourceServer.start();
    first.add({ id: 'back', files: 60 });
    first.fail({ on: 'file', fault: { kind: 'delay', ms: 100 } });
    const dataset = await kit.linked(first, 'back', 'Back again');
    const { body } = await kit.start(dataset);
    await kit.until(`/${dataset}/syncs/${body.id}`, ({ progress }) => progress.files_done > 5);
    const { port } = first;
    await first.close();
    await sleep(1500);
    const second = await SourceServer.start({ port });
    second.add({ id: 'back', files: 60 });
    expect(await kit.syncEnded(dataset, body.id)).toMatchObject({
      status: 'done',
      error_count: 0,
      progress: { files_done: 60 },
    });
    await second.close();
  });
});
