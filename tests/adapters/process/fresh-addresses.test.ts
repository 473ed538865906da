import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ProcessRunner } from '../../../adapters/process/process-runner.js';
import type { WorkloadDownload, WorkloadSpec } from '../../../core/ports/workload-runner.js';
import { endpoints, until } from './workload-waits.js';
import { ProcessKit } from './process-kit.js';

/** The layer of a model image, as far as a start needs it. */
const LAYER = execFileSync('tar', ['-C', resolve('tests/adapters/process/programs'), '-cz', 'web.py']);

describe('an endpoint whose presigned address has expired', () => {
  const kit = new ProcessKit();
  /** Addresses made before it grew have expired. */
  let epoch = 0;
  let fetched = 0;
  const store = createServer((request, response) => {
    const isGood = request.url === `/${epoch}`;
    if (isGood) fetched += 1;
    response.writeHead(isGood ? 200 : 403).end(isGood ? LAYER : '');
  });
  let runner: ProcessRunner;
  let spec: WorkloadSpec;

  beforeAll(async () => {
    await new Promise<void>((done) => store.listen(0, '127.0.0.1', done));
    kit.storeUrl = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
    runner = kit.running();
  });
  afterAll(async () => {
    await kit.close();
    store.closeAllConnections();
    store.close();
  });
  beforeEach(async () => {
    fetched = 0;
    kit.freshDownloads = async () => [presigned()];
    spec = kit.spec({ kind: 'service', entrypoint: './app/web.py', downloads: [presigned()] });
    await runner.start(spec);
    await endpoints(runner, spec.id, 1);
    expect(fetched).toBe(1);
  });

  const presigned = (): WorkloadDownload => ({
    ...{ url: `http://127.0.0.1:${(store.address() as AddressInfo).port}/${epoch}`, path: 'app' },
    ...{ sha256: createHash('sha256').update(LAYER).digest('hex'), unpack: true },
  });
  const program = () => join(kit.work(spec.id), 'app/web.py');
  const crash = async () => {
    const { attempt } = kit.pidRecord(spec.id);
    process.kill(kit.pidRecord(spec.id).pid, 'SIGKILL');
    await until('another start', () => kit.pidRecord(spec.id).attempt > attempt);
    await endpoints(runner, spec.id, 1);
  };

  it('starts again, and once more beside itself, from the files that are there', async () => {
    epoch += 1;
    kit.freshDownloads = () => Promise.reject(new Error('the database is away'));
    const { ino } = statSync(program());
    await crash();
    await runner.scale(spec.id, 2);
    await endpoints(runner, spec.id, 2);
    expect([fetched, statSync(program()).ino]).toEqual([1, ino]);
    await runner.remove(spec.id);
  });

  it('gets a fresh one where the files are gone, kept from everybody else', async () => {
    epoch += 1;
    rmSync(join(kit.work(spec.id), 'app'), { recursive: true });
    await crash();
    expect([fetched, readFileSync(program(), 'utf8')]).toEqual([2, expect.stringContaining('GET /ping')]);
    const list = statSync(join(kit.work(spec.id), 'downloads.json'));
    expect([list.mode & 0o777, list.uid]).toEqual([0o600, statSync(kit.work(spec.id)).uid]);
    await runner.remove(spec.id);
  });
});
