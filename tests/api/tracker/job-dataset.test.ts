import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ManagedObjectStore } from '../../../adapters/minio/minio-object-store.js';
import { openObjectStore } from '../../../adapters/minio/open-object-store.js';
import { asTenantId } from '../../../core/security/ids.js';
import { issueJobToken } from '../../../core/security/job-token.js';
import { closeRun, openRunForJob } from '../../../models/tracker/run.commands.js';
import { freezeDataset } from '../../builders/frozen-dataset.js';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../support/test-api.js';

const FILES = 25;
const STAGER = resolve('docker/stagers/dataset/stage.py');

interface Listed {
  readonly path: string;
  readonly sha256: string;
  readonly url: string;
  readonly label: string;
}

describe('the files that a job is trained from', () => {
  let api: TestApi;
  let store: ManagedObjectStore;
  let tenant: TestTenant;
  let user: TestUser;
  let runId: string;

  beforeAll(async () => {
    api = await startTestApi();
    store = openObjectStore(api.container.settings);
    tenant = await api.addTenant();
    user = await api.addUser({ [tenant.code]: 'ML_ENGINEER' });
    await freeze(tenant, 'grey');
  });
  afterAll(async () => {
    await store.close();
    await api.close();
  });
  beforeEach(async () => {
    runId = await experiment({});
  });

  const freeze = (owner: TestTenant, key: string) =>
    freezeDataset(
      api.container.db,
      store,
      owner.id,
      key,
      Array.from({ length: FILES }, (_, at) => ({
        path: `${at % 2}/ä"${at}\\n.png`,
        bytes: Buffer.from(`${owner.code} ${at}`),
      })),
    );
  async function experiment(over: Record<string, unknown>, owner = tenant, token = user.token) {
    const { body } = await api.call('POST', '/api/v1/training/experiments', {
      token,
      tenant: owner.code,
      json: {
        ...{ task: 'classification', framework: 'sklearn', model: 'knn', dataset_id: 'grey' },
        ...{ evaluation: { enabled: false }, ...over },
      },
    });
    const run = body.tracker_run_id as string;
    await api.container.db.inTenant(asTenantId(owner.id), (tx) => openRunForJob(tx, run));
    return run;
  }
  const tokenOf = (over: Partial<{ tenantId: string; runId: string; attempt: number }> = {}) =>
    issueJobToken(api.container.settings.SERVICE_SECRET_KEYS, {
      ...{ tenantId: tenant.id, runId, attempt: 1 },
      ...over,
    });
  const ask = (query = '', token: string | null = tokenOf(), run = runId) =>
    api.call('GET', `/tracker/api/2.0/visionops/runs/${run}/dataset-files${query}`, { token });
  /** All pages, asked for as a stager does. */
  const all = async (limit: number) => {
    const pages: Listed[][] = [];
    for (let cursor: number | null = null; ; ) {
      const { status, body } = await ask(`?limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`);
      expect(status).toBe(200);
      pages.push(body.files);
      cursor = body.next;
      if (cursor === null) return pages;
    }
  };

  it('come in pages, each file once, with an address that gives its bytes', async () => {
    const pages = await all(10);
    expect(pages.map((page) => page.length)).toEqual([10, 10, 5]);
    const files = pages.flat();
    expect(new Set(files.map(({ path }) => path)).size).toBe(FILES);
    const [first] = files as [Listed];
    expect(first).toMatchObject({ label: '0', path: expect.stringMatching(/^0\/ä"\d+\\n\.png$/) });
    expect(await (await fetch(first.url)).text()).toMatch(new RegExp(`^${tenant.code} \\d+$`));
    expect(new URL(first.url).searchParams.get('X-Amz-Expires')).toBe('900');
    expect((await ask()).body).toMatchObject({ next: null, expires_in_s: 900 });
  });

  it('are those of the classes that the attempt asked for', async () => {
    runId = await experiment({ classes: ['0', '1'] });
    expect((await all(7)).flat()).toHaveLength(FILES);
    await api.container.db.inTenant(asTenantId(tenant.id), (tx) =>
      tx.execute(
        'update training_experiment set config = config || \'{"classes": ["1"]}\' where tracker_run_id = $1',
        [runId],
      ),
    );
    expect((await all(7)).flat().map(({ label }) => label)).toEqual(Array.from({ length: 12 }, () => '1'));
  });

  it('say how they annotate, however many names a file has', async () => {
    const names = Array.from({ length: 10_000 }, (_, id) => ({ id, name: `${id} ${'ä'.repeat(190)}` }));
    const files = [
      { path: '0/1.png', bytes: Buffer.from('1'), more: { entries: [['a.json', 7, 'stored']] as const } },
      { path: '1/2.png', bytes: Buffer.from('2') },
      {
        path: 'a.json',
        bytes: Buffer.from('{}'),
        more: { kind: 'annotation' as const, annotation: { kind: 'coco' as const, names } },
      },
    ];
    await freezeDataset(api.container.db, store, tenant.id, 'names', files);
    runId = await experiment({ dataset_id: 'names' });
    const [first, second, third] = (await all(500)).flat();
    expect(first).toMatchObject({ path: '0/1.png', entries: [['a.json', 7, 'stored']] });
    expect(Object.keys(second ?? {})).not.toEqual(expect.arrayContaining(['entries']));
    expect(third).toMatchObject({ path: 'a.json', annotation: { kind: 'coco', names } });
  });

  it('are given to the token of this attempt alone', async () => {
    const other = await api.addTenant();
    const stranger = await api.addUser({ [other.code]: 'ML_ENGINEER' });
    await freeze(other, 'grey');
    const foreignRun = await experiment({}, other, stranger.token);
    const siblingRun = await experiment({});
    const statuses = async (...calls: ReturnType<typeof ask>[]) =>
      (await Promise.all(calls)).map(({ status }) => status);
    expect(
      await statuses(
        ask('', null),
        ask('', user.token),
        ask('', tokenOf({ attempt: 2 })),
        ask('', tokenOf({ tenantId: other.id })),
        ask('', tokenOf({ runId: randomBytes(16).toString('hex') })),
        ask('', tokenOf(), siblingRun),
        ask('', tokenOf(), foreignRun),
        ask('', tokenOf({ runId: foreignRun }), foreignRun),
      ),
    ).toEqual([401, 401, 401, 401, 403, 403, 403, 401]);
    await api.container.db.inTenant(asTenantId(tenant.id), (tx) => closeRun(tx, runId, 'KILLED'));
    expect(await ask()).toMatchObject({ status: 401, body: { error_code: 'UNAUTHENTICATED' } });
  });

  it('are not to be had by a cursor that no page named, or by another page size', async () => {
    const { next } = (await ask('?limit=3')).body;
    for (const query of [
      ...[next + 1, next - 1, 1, next * 1000].map((cursor) => `?cursor=${cursor}`),
      ...['?cursor=-1', '?cursor=x', '?cursor=1&cursor=2', '?limit=0', '?limit=1001', '?limit=1e3'],
    ])
      expect([query, (await ask(query)).status]).toEqual([
        query,
        query.includes('000') && !query.includes('limit') ? 416 : 400,
      ]);
  });

  describe('fetched by the stager', () => {
    let directory: string;
    beforeEach(() => {
      directory = mkdtempSync(join(tmpdir(), 'visionops-stage-'));
    });
    afterEach(() => rmSync(directory, { recursive: true, force: true }));

    const stage = (manifest: unknown, env: Record<string, string> = {}) => {
      writeFileSync(join(directory, 'manifest.json'), JSON.stringify(manifest));
      return new Promise<{ code: number; output: string }>((done) =>
        execFile(
          'python3',
          ['-I', STAGER, directory],
          {
            env: { PATH: process.env.PATH, TRACKER_URL: `${api.base}/tracker`, JOB_TOKEN: tokenOf(), ...env },
          },
          (error, stdout, stderr) => done({ code: Number(error?.code ?? 0), output: stdout + stderr }),
        ),
      );
    };
    const staged = () =>
      readdirSync(join(directory, 'dataset'), { recursive: true }).filter((name) =>
        String(name).endsWith('.png'),
      );
    const pages = () => ({ pages: `/api/2.0/visionops/runs/${runId}/dataset-files` });

    it('are all there, with a manifest that says what they are', async () => {
      expect(await stage(pages())).toMatchObject({
        code: 0,
        output: expect.stringContaining(`Fetched ${FILES} dataset files`),
      });
      expect(staged()).toHaveLength(FILES);
      const manifest = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
      expect(manifest).toMatchObject(pages());
      expect(manifest.files).toHaveLength(FILES);
      expect(Object.keys(manifest.files[0]).sort()).toEqual(['label', 'path', 'sha256', 'size']);
      // Started again in its directory: the manifest that it wrote is where it begins.
      expect((await stage(manifest)).code).toBe(0);
    });

    it('are fetched by the addresses in the manifest of a job that an earlier release started', async () => {
      const { files } = (await ask()).body;
      expect((await stage({ files })).code).toBe(0);
      expect(staged()).toHaveLength(FILES);
    });

    it('are not fetched for an attempt that has ended', async () => {
      const result = await stage(pages(), { JOB_TOKEN: tokenOf({ attempt: 2 }) });
      expect(result).toEqual({
        code: 10,
        output: expect.stringContaining('this attempt is no longer valid'),
      });
    });
  });
});
