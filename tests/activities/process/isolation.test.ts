import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProcessRunner } from '../../../adapters/process/process-runner.js';
import { readFacts } from '../../setup/facts.js';
import { onlyWhere } from '../../setup/only-where.js';
import { ended } from '../workload-waits.js';
import { ProcessKit } from './process-kit.js';

const notRoot =
  process.getuid?.() === 0 && process.platform === 'linux' ? null : 'users of their own need root on Linux';

describe('isolation of workloads', () => {
  const kit = new ProcessKit();
  let runner: ProcessRunner;
  beforeAll(() => void (runner = kit.running()));
  afterAll(() => kit.close());

  const spyOn = async (tenantId: string, otherWork: string) => {
    const secrets = join(kit.dataDir, 'platform.json');
    writeFileSync(secrets, '{"database_url":"postgres://owner:secret@localhost/x"}');
    chmodSync(secrets, 0o600);
    const facts = readFacts();
    const target = {
      secrets,
      otherWork,
      platformPid: process.pid,
      postgresPort: facts.postgres.port,
      database: facts.postgres.template,
    };
    const spec = kit.spec({
      tenantId,
      entrypoint: 'spy.py',
      args: [JSON.stringify(target)],
      env: { JOB_TOKEN: 'token-of-the-job' },
    });
    await runner.start(spec);
    expect(await ended(runner, spec.id)).toMatchObject({ phase: 'succeeded' });
    return { id: spec.id, seen: JSON.parse(kit.log(spec.id)) as Record<string, unknown> };
  };

  onlyWhere(notRoot)('keeps a workload from secrets, processes, other tenants and the database', async () => {
    expect(runner.isolation.kind).toBe('uid');
    const first = await spyOn('tenant-a', '/root');
    const { seen } = await spyOn('tenant-b', kit.work(first.id));
    for (const name of [
      'secrets',
      'parentEnvironment',
      'platformEnvironment',
      'ownSpec',
      'workloads',
      'otherTenant',
      'killPlatform',
      'changeProgram',
      'becomeRoot',
    ])
      expect({ [name]: seen[name] }).toEqual({ [name]: 'PermissionError' });
    expect(seen.database).toMatch(/^refused/);
    expect(seen).toMatchObject({ noNewPrivileges: '1', capabilities: '0000000000000000', groups: '' });
    expect(seen.uid).not.toBe(first.seen.uid);
    expect(seen.uid).toBeGreaterThanOrEqual(200_000);
  });

  it("hands over nothing of the platform's environment", async () => {
    process.env.SERVICE_SECRET_KEYS_OF_TEST = 'must not be seen';
    const { seen } = await spyOn('tenant-c', '/root');
    delete process.env.SERVICE_SECRET_KEYS_OF_TEST;
    expect(seen.environment).toEqual([
      'HOME',
      'JOB_TOKEN',
      'LANG',
      'PATH',
      'PYTHONDONTWRITEBYTECODE',
      'PYTHONNOUSERSITE',
      'PYTHONUNBUFFERED',
      'TMPDIR',
      'TZ',
      'VISIONOPS_WORKLOAD',
    ]);
  });

  it('closes directory and records to every other user', async () => {
    const { id } = await spyOn('tenant-a', '/root');
    expect(statSync(kit.work(id)).mode & 0o777).toBe(0o700);
    expect(statSync(join(kit.root, id, 'spec.json')).mode & 0o777).toBe(0o600);
    expect(statSync(join(kit.root, id, 'instances/0')).mode & 0o777).toBe(0o700);
    expect(JSON.parse(readFileSync(join(kit.root, id, 'spec.json'), 'utf8'))).toMatchObject({
      tenantId: 'tenant-a',
    });
  });

  it("keeps a tenant's user over restarts of the worker", async () => {
    const [again, before] = [await spyOn('tenant-a', '/root'), await spyOn('tenant-a', '/root')];
    await kit.stopLoops();
    runner = kit.running();
    const after = await spyOn('tenant-a', '/root');
    expect([again.seen.uid, before.seen.uid]).toEqual([after.seen.uid, after.seen.uid]);
  });
});
