import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readKernelRules } from '../../../adapters/process/kernel-rules.js';
import type { ProcessRunner } from '../../../adapters/process/process-runner.js';
import type { WorkloadSpec } from '../../../core/ports/workload-runner.js';
import { readFacts } from '../../setup/facts.js';
import { onlyWhere } from '../../setup/only-where.js';
import { ended, until } from './workload-waits.js';
import { DOCKER, ProcessKit } from './process-kit.js';

const notRoot =
  process.getuid?.() === 0 && process.platform === 'linux' ? null : 'users of their own need root on Linux';

const rules = readKernelRules(join(DOCKER, 'runtimes'));
/** From 6 on it holds signals too. */
const noRules = rules.version >= 6 ? null : 'needs a kernel with Landlock of version 6 (Linux 6.12)';
const openPorts = rules.closesConnections
  ? null
  : 'needs a kernel with Landlock of version 4 (Linux 6.7) and seccomp';

/** Readable by everybody, and nothing that a program needs. */
const OF_ETC = ['/etc/profile', '/etc/fstab', '/etc/issue', '/etc/shells'].find((path) => existsSync(path));

/** A server that counts who connects to it. */
class Listening {
  calls = 0;
  private readonly server = createServer((socket) => {
    this.calls += 1;
    socket.on('error', () => undefined).end();
  });

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async open(): Promise<string> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${this.port}`;
  }

  close(): Promise<void> {
    return new Promise((done) => this.server.close(() => done()));
  }
}

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
      etc: OF_ETC,
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
    expect(seen.database).toMatch(rules.closesConnections ? /^PermissionError$/ : /^refused/);
    expect(seen).toMatchObject({ noNewPrivileges: '1', capabilities: '0000000000000000', groups: '' });
    expect(seen.uid).not.toBe(first.seen.uid);
    expect(seen.uid).toBeGreaterThanOrEqual(200_000);
  });

  onlyWhere(noRules)('keeps one that shares its user from them too', async () => {
    // Others cannot pass it, so that no tenant has a user of its own; root or not.
    const cache = mkdtempSync(join(tmpdir(), 'visionops-closed-'));
    const shared = new ProcessKit(cache);
    const open = shared.running();
    expect(open.isolation).toMatchObject({
      kind: 'none',
      explanation: expect.stringContaining('Landlock'),
    });
    const spy = (over: Partial<WorkloadSpec>) => shared.spec({ ...over, entrypoint: 'spy.py' });
    const secrets = join(shared.dataDir, 'secrets.json');
    writeFileSync(secrets, '{}', { mode: 0o600 });
    const { postgres } = readFacts();
    const target = {
      ...{ secrets, otherWork: '/tmp', etc: OF_ETC, platformPid: process.pid },
      ...{ postgresPort: postgres.port, database: postgres.template },
    };
    const seenBy = async (kind: WorkloadSpec['kind']) => {
      const spec = spy({ kind, args: [JSON.stringify(target)] });
      await open.start(spec);
      const text = await until('what it saw', () => /^\{.*\}$/m.exec(shared.log(spec.id))?.[0]);
      await open.remove(spec.id);
      return JSON.parse(text) as Record<string, unknown>;
    };
    const job = await seenBy('job');
    for (const name of [
      ...['secrets', 'etc', 'parentEnvironment', 'platformEnvironment', 'ownSpec', 'workloads'],
      ...['otherTenant', 'killPlatform', 'changeProgram'],
    ])
      expect({ [name]: job[name] }).toEqual({ [name]: 'PermissionError' });
    expect(job).toMatchObject({ noNewPrivileges: '1', capabilities: '0000000000000000' });
    // Names and certificates are there all the same.
    expect(job.lookUps).toEqual(['root', '127.0.0.1', existsSync('/etc/ssl/certs/ca-certificates.crt')]);
    expect(job.database).toBe('PermissionError');
    expect((await seenBy('service')).database).toBe('PermissionError');
    await shared.close();
    rmSync(cache, { recursive: true, force: true });
  });

  onlyWhere(openPorts)('closes every port to it but those of API and object store', async () => {
    const { postgres, temporal, s3 } = readFacts();
    // Stands for the metadata address of a cloud, or whatever else listens somewhere.
    const [api, other] = [new Listening(), new Listening()];
    const home = new ProcessKit();
    home.trackerUrl = `${await api.open()}/tracker`;
    home.storeUrl = s3.endpoint;
    const otherUrl = await other.open();
    const own = home.running();
    const portOf = (url: string) => Number(new URL(url).port);
    const target = {
      ...{ secrets: '/root', otherWork: '/root', etc: OF_ETC, platformPid: process.pid },
      ...{ postgresPort: postgres.port, database: postgres.template, closedPort: portOf(otherUrl) },
      ports: {
        ...{ api: portOf(home.trackerUrl), store: portOf(s3.endpoint), other: portOf(otherUrl) },
        ...{ postgres: postgres.port, temporal: portOf(`http://${temporal.address}`) },
      },
    };
    const seenBy = async (kind: WorkloadSpec['kind']) => {
      const spec = home.spec({ kind, entrypoint: 'spy.py', args: [JSON.stringify(target)] });
      await own.start(spec);
      const text = await until('what it saw', () => /^\{.*\}$/m.exec(home.log(spec.id))?.[0]);
      await own.remove(spec.id);
      return JSON.parse(text) as Record<string, unknown>;
    };
    const closed = { other: 'EACCES', postgres: 'EACCES', temporal: 'EACCES' };
    const around = ['multipath', 'multipath6', 'vsock', 'sendto', 'sendmsg', 'fastOpenConnect'];
    const noWay = Object.fromEntries(around.map((name) => [name, 'EACCES']));
    const job = await seenBy('job');
    expect(job.ports).toEqual({ api: 'open', store: 'open', ...closed });
    expect(job.waysAround).toEqual(noWay);
    const service = await seenBy('service');
    expect(service.ports).toEqual({ api: 'EACCES', store: 'EACCES', ...closed });
    expect(service.waysAround).toEqual(noWay);
    // What fetches its inputs is held to the same ports.
    const download = { url: `${otherUrl}/credentials`, path: 'input' };
    for (const kind of ['job', 'service'] as const) {
      const staged = home.spec({ kind, entrypoint: 'web.py', downloads: [download] });
      await own.start(staged);
      await until('its refusal', () => /Staging failed: .*Permission denied/.test(home.log(staged.id)));
      await own.remove(staged.id);
    }
    expect([api.calls, other.calls]).toEqual([1, 0]);
    expect(own.isolation).toMatchObject({
      ports: [api.port, portOf(s3.endpoint)].sort((a, b) => a - b),
      explanation: expect.stringMatching(/Trainings connect by TCP to the ports [\d, ]+ alone/),
    });
    expect(own.isolation.explanation).not.toContain('169.254.169.254');
    await home.close();
    await Promise.all([api.close(), other.close()]);
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
