import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Fault } from '../../fakes/source-server/source-faults.js';
import { SourceServer } from '../../fakes/source-server/source-server.js';
import { type Answer, startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';

describe('sources that mean no good, and people in a hurry', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let server: SourceServer;
  beforeAll(async () => {
    api = await startTestApi({ SERVICE_OUTBOUND_ALLOW: '127.0.0.1' });
    tenant = await api.addTenant();
    server = await SourceServer.start();
    server.add({ id: 'scans', files: 3 });
  });
  afterEach(() => server.heal());
  afterAll(async () => {
    await server.close();
    await api.close();
  });

  const call = (method: string, path: string, json?: unknown): Promise<Answer> =>
    api.call(method, `/api/v1${path}`, {
      token: api.admin.token,
      tenant: tenant.code,
      ...(json === undefined ? {} : { json }),
    });
  const addSource = async (name = 'Archive'): Promise<string> =>
    (await call('POST', '/external-sources', { name, base_url: server.baseUrl })).body.id as string;
  const addDataset = async (): Promise<string> =>
    (await call('POST', '/datasets/drafts', { name: 'Copy' })).body.id as string;
  const descriptors = (): number => readdirSync('/proc/self/fd').length;

  it('hold up nobody else while they are silent, and are let go when the caller leaves', async () => {
    const source = await addSource();
    server.fail({ fault: { kind: 'silence' } });
    const leaving = new AbortController();
    const waiting = Array.from({ length: 60 }, () =>
      fetch(`${api.base}/api/v1/external-sources/${source}/remote-datasets`, {
        headers: { authorization: `Bearer ${api.admin.token}`, 'x-tenant': tenant.code },
        signal: leaving.signal,
      }).then(
        () => 'answered',
        () => 'left',
      ),
    );
    for (let left = 100; server.open < 60 && left > 0; left -= 1) await sleep(50);
    expect(server.open).toBe(60);
    for (let times = 0; times < 5; times += 1) expect((await call('GET', '/datasets')).status).toBe(200);
    // All of them are still waiting.
    expect(server.open).toBe(60);
    leaving.abort();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['left']));
    for (let left = 100; server.open > 0 && left > 0; left -= 1) await sleep(50);
    expect(server.open).toBe(0);
    server.heal();
    expect((await call('POST', `/external-sources/${source}:test`)).body.status).toBe('ok');
  });

  it('cost neither memory nor descriptors, whatever they answer', async () => {
    const source = await addSource();
    const [list, manifest] = [
      `/external-sources/${source}/remote-datasets`,
      `/external-sources/${source}/remote-datasets/scans/manifest`,
    ];
    const cases: ReadonlyArray<readonly [string, Fault]> = [
      [manifest, { kind: 'gzip-bomb', bytes: 400_000_000 }],
      [manifest, { kind: 'endless', of: 'entries' }],
      [manifest, { kind: 'body', body: `{"files":[${'['.repeat(200_000)}` }],
      [manifest, { kind: 'body', body: `{"x":${'{"a":'.repeat(200_000)}` }],
      ...[list, manifest].flatMap((path) => [
        [path, { kind: 'huge-head', bytes: 100_000 }] as const,
        [path, { kind: 'noise' }] as const,
        [path, { kind: 'cut', afterBytes: 7 }] as const,
      ]),
      [list, { kind: 'gzip-bomb', bytes: 400_000_000 }],
      [list, { kind: 'endless', of: 'entries' }],
      [list, { kind: 'endless', of: 'filler' }],
      [list, { kind: 'body', body: `{"items":${'['.repeat(200_000)}` }],
      [list, { kind: 'redirect', to: '/api/datasets' }],
    ];
    const open = descriptors();
    const peak = await peakOf(async () => {
      for (const [path, fault] of cases) {
        server.heal();
        server.fail({ fault });
        expect([path, fault.kind, (await call('GET', path)).status]).toEqual([path, fault.kind, 502]);
      }
    });
    for (let left = 100; descriptors() > open + 5 && left > 0; left -= 1) await sleep(50);
    expect(descriptors()).toBeLessThanOrEqual(open + 5);
    expect(peak).toBeLessThan(300_000_000);
  }, 120_000);

  /** What `work` takes at its peak, in bytes. */
  async function peakOf(work: () => Promise<void>): Promise<number> {
    const before = process.memoryUsage().rss;
    let most = before;
    const look = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 10);
    await work().finally(() => clearInterval(look));
    return Math.max(most, process.memoryUsage().rss) - before;
  }

  it('cost little memory at the peak while many previews of endless folders are read, and nobody else waits', async () => {
    const source = await addSource();
    const dataset = await addDataset();
    const entry = (n: number) =>
      `{"path":"${`${n}/`.repeat(250).slice(0, 500)}x","size_bytes":1,"sha256":"${'a'.repeat(64)}"}`;
    const manifest = Buffer.from(
      `{"files":[${Array.from({ length: 20_000 }, (_, n) => entry(n)).join(',')}]}`,
    );
    server.fail({ on: 'manifest', fault: { kind: 'body', body: manifest } });
    const preview = () =>
      call('GET', `/external-sources/${source}/remote-datasets/scans/manifest?dataset_id=${dataset}`);
    let isReading = true;
    let answeredMeanwhile = 0;
    const peak = await peakOf(async () => {
      const reading = Promise.all(Array.from({ length: 4 }, preview)).finally(() => {
        isReading = false;
      });
      for (let times = 0; times < 10; times += 1) {
        expect((await call('GET', '/datasets')).status).toBe(200);
        if (isReading) answeredMeanwhile += 1;
      }
      for (const answer of await reading)
        expect(answer).toMatchObject({
          status: 502,
          body: { detail: { reason: 'limit', next_step: expect.stringMatching(/sync/) } },
        });
    });
    expect(peak).toBeLessThan(300_000_000);
    expect(answeredMeanwhile).toBeGreaterThan(0);
  }, 120_000);

  it('get different ids when many of one name are added at once', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => addSource('Twins')));
    expect(new Set(ids).size).toBe(20);
    expect(ids.every((id) => /^twins(-\d+)?$/.test(id))).toBe(true);
  });

  it('are linked, unlinked and removed at once without a failure, and every dataset knows how it ended', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [source, other] = [await addSource('Contested'), await addSource('Other')];
      const datasets = await Promise.all(Array.from({ length: 6 }, addDataset));
      const answers = await Promise.all([
        ...datasets.map((id, at) =>
          call('PUT', `/datasets/${id}/source`, {
            source_id: at % 2 ? source : other,
            remote_dataset_id: 'scans',
          }),
        ),
        ...datasets.map((id) =>
          call('PUT', `/datasets/${id}/source`, { source_id: source, remote_dataset_id: 'scans' }),
        ),
        call('DELETE', `/external-sources/${source}?force=true`),
        ...datasets.slice(3).map((id) => call('DELETE', `/datasets/${id}/source`)),
        call('PATCH', `/external-sources/${other}`, { description: 'x' }),
      ]);
      expect(
        answers.map(({ status }) => status).filter((status) => ![200, 204, 422].includes(status)),
      ).toEqual([]);
      const rows = await api.container.db.inPlatform((tx) =>
        tx.query<{ shown: string | null; linked: string | null }>(
          `select d.external_source as shown, s.key as linked from dataset d left join dataset_source l on l.dataset_id = d.id left join external_source s on s.id = l.source_id where d.key = any($1)`,
          [datasets],
        ),
      );
      expect(rows.filter(({ shown, linked }) => shown !== linked)).toEqual([]);
      await call('DELETE', `/external-sources/${other}?force=true`);
    }
  });

  it('start one sync of a dataset, however often they are asked at once', async () => {
    const source = await addSource();
    const dataset = await addDataset();
    await call('PUT', `/datasets/${dataset}/source`, { source_id: source, remote_dataset_id: 'scans' });
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => call('POST', `/datasets/${dataset}/syncs`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array(11).fill(409)]);
  });
});
