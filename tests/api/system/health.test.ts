import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { configurationFindings } from '../../../api/system/configuration-hygiene.js';
import { beatHost } from '../../../models/workloads/host.platform.js';
import { ABLE, aHost } from '../../builders/a-host.js';
import { createHeartbeatLoop } from '../../../activities/system/heartbeat-loop.js';
import { startTestApi, type TestApi } from '../support/test-api.js';

describe('system health', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  const read = async () => {
    const { status, body } = await api.call('GET', '/api/v1/system/health', { token: api.admin.token });
    expect(status).toBe(200);
    return {
      ...body,
      of: (name: string) => body.components.find((component: { name: string }) => component.name === name),
    };
  };

  it('names every component with its latency, and says what to do about a missing worker', async () => {
    const health = await read();
    expect(health.components.map((component: { name: string }) => component.name)).toEqual([
      'database',
      'notifications',
      'object_store',
      'temporal',
      'workflow_tasks',
      'worker',
      'dispatch',
      'orchestrator',
      'mail',
    ]);
    for (const name of ['database', 'notifications', 'object_store', 'temporal', 'mail'])
      expect(health.of(name)).toMatchObject({ status: 'ok', hint: null });
    expect(health.of('worker')).toMatchObject({
      status: 'down',
      message: 'No worker has been seen.',
      hint: expect.stringContaining('Start a worker'),
    });
    expect(health.status).toBe('degraded');
  });

  it('follows the heartbeat of a worker and what it says of its machine', async () => {
    const stop = new AbortController();
    const open = aHost({ address: '127.0.0.1' });
    await beatHost(api.container.db, open, {
      ...ABLE,
      runtimes: [...ABLE.runtimes, { runtime: 'other', available: false, reason: 'It is off.', isOff: true }],
      isolation: { kind: 'none', explanation: 'One trust domain.' },
    });
    const running = createHeartbeatLoop(api.container.db).run(stop.signal);
    for (let tries = 0; tries < 50 && (await read()).of('worker').status !== 'ok'; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
    const health = await read();
    expect(health.configuration.at(-1)).toMatchObject({ name: 'temporal_access', status: 'warning' });
    expect(health.status).toBe('ok');
    expect(health.of('orchestrator').message).toContain('sklearn');
    expect(health.configuration).toContainEqual(
      expect.objectContaining({ name: 'trust_domain', status: 'warning', message: 'One trust domain.' }),
    );
    // A second host closes every port to its workloads, the first still none.
    const closed = aHost({ address: '127.0.0.1', name: 'closed' });
    const isolation = { kind: 'uid' as const, explanation: 'Closed.', ports: [8080, 9000] };
    await beatHost(api.container.db, closed, { ...ABLE, isolation });
    expect((await read()).configuration).toContainEqual(
      expect.objectContaining({
        name: 'trust_domain',
        status: 'warning',
        message: 'closed: Closed. host-of-test: One trust domain.',
      }),
    );
    expect((await read()).configuration.at(-1)).toMatchObject({ status: 'warning' });
    await beatHost(api.container.db, open, { ...ABLE, isolation });
    expect((await read()).configuration.at(-1)).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('cannot reach Temporal'),
    });
    const finding = async () =>
      (await read()).configuration.find(({ name }: { name: string }) => name === 'trust_domain');
    expect(await finding()).toMatchObject({ status: 'ok', hint: null });
    // Users of their own close no network: not where every port is open, nor where that of the metadata address is.
    for (const ports of [null, undefined, [80, 9000]]) {
      await beatHost(api.container.db, open, { ...ABLE, isolation: { ...isolation, ports } });
      expect(await finding()).toMatchObject({
        status: 'warning',
        hint: expect.stringContaining('production.md'),
      });
    }
    await api.container.db.inPlatform((tx) => tx.execute('delete from host'));
    stop.abort();
    await running;
    expect((await read()).of('worker').status).toBe('down');
  });

  it('calls a worker gone that missed three heartbeats', async () => {
    await api.container.db.inPlatform((tx) =>
      tx.execute(
        "insert into process_heartbeat (process, place, started_at, seen_at, facts) values ('worker', 'h:1', now(), now() - interval '40 seconds', '{}')",
      ),
    );
    expect((await read()).of('worker').message).toMatch(/last was seen 4\d s ago/);
    await api.container.db.inPlatform((tx) => tx.execute('delete from process_heartbeat'));
  });

  it('reports entries that nobody runs', async () => {
    await api.container.db.inPlatform(async (tx) => {
      await tx.execute(
        "insert into process_heartbeat (process, place, started_at, seen_at, facts) values ('worker', 'h:2', now(), now(), $1)",
        [
          JSON.stringify({
            orchestrator: 'process',
            isolation: { kind: 'uid', explanation: 'x' },
            runtimes: [],
          }),
        ],
      );
      await tx.execute(
        "insert into dispatch (kind, payload, created_at) values ('mail', '{}', now() - interval '5 minutes')",
      );
    });
    expect((await read()).of('worker')).toMatchObject({ status: 'degraded' });
    await api.container.db.inPlatform((tx) => tx.execute('delete from dispatch'));
  });

  it('counts what was given up and names the newest reasons', async () => {
    await api.container.db.inPlatform((tx) =>
      tx.execute(
        "insert into dispatch (kind, workflow_id, payload, given_up_at, next_attempt_at, last_error) select 'start', 'training:t:e:' || n, '{}', now() + make_interval(secs => n), 'infinity', 'refused ' || n from generate_series(1, 5) n",
      ),
    );
    const found = (await read()).of('dispatch');
    expect(found).toMatchObject({ status: 'degraded', hint: expect.stringContaining('retry-dispatch') });
    expect(found.message).toMatch(
      /^5 entries were given up .*training:t:e:5: refused 5; .*refused 4; .*refused 3$/,
    );
    expect((await read()).of('worker').message).toContain(' 0 entries');
    await api.container.db.inPlatform((tx) => tx.execute('delete from dispatch'));
    expect((await read()).of('dispatch')).toMatchObject({ status: 'ok', hint: null });
  });

  it('judges the configuration without showing a secret', async () => {
    const { configuration } = await read();
    expect(configuration.map((finding: { name: string }) => finding.name)).toEqual([
      'webhook',
      'secret_keys',
      'transport',
      'proxies',
      'sessions',
      'trust_domain',
      'temporal_access',
    ]);
    expect(configuration.at(-1)).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('has no sign-in'),
      hint: expect.stringContaining('TEMPORAL_ADDRESS'),
    });
    expect(configuration[0]).toMatchObject({ status: 'ok' });
    const text = JSON.stringify(await read());
    expect(text).toContain('key k1');
    expect(text).not.toContain(api.container.settings.SERVICE_WEBHOOK_TOKEN);
    expect(text).not.toContain(api.container.settings.S3_SECRET_KEY);
  });

  it('warns of a mail server to which mails may travel unencrypted', () => {
    const transport = (SMTP_URL: string) =>
      configurationFindings({ ...api.container.settings, SMTP_URL }, null, null).find(
        ({ name }) => name === 'transport',
      );
    expect(transport('smtp://u:p@mail.example.com')).toMatchObject({ status: 'ok' });
    const open = transport('smtp://u:secret-of-it@mail.example.com?requireTLS=false');
    expect(open).toMatchObject({ status: 'warning', message: expect.stringContaining('unencrypted') });
    expect(JSON.stringify(open)).not.toContain('secret-of-it');
  });
});

describe('system health while things are away', () => {
  it('answers within seconds and names what is down', async () => {
    const api = await startTestApi({
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      S3_ENDPOINT: 'http://127.0.0.1:1',
      SMTP_URL: 'smtp://127.0.0.1:1',
      SERVICE_WEBHOOK_TOKEN: '',
      SERVICE_WEBHOOK_OPEN: 'true',
    });
    try {
      const startedAt = Date.now();
      const { body } = await api.call('GET', '/api/v1/system/health', { token: api.admin.token });
      expect(Date.now() - startedAt).toBeLessThan(8000);
      const statuses = new Map<string, string>(
        body.components.map(({ name, status }: { name: string; status: string }) => [name, status]),
      );
      // Not known without Temporal; on a busy machine its answer may come too late.
      expect(statuses.get('workflow_tasks')).toMatch(/^(degraded|down)$/);
      statuses.delete('workflow_tasks');
      const down = [...statuses].filter(([, status]) => status === 'down').map(([name]) => name);
      expect(down).toEqual(['object_store', 'temporal', 'worker', 'orchestrator', 'mail']);
      expect(body.configuration[0]).toMatchObject({ name: 'webhook', status: 'warning' });
    } finally {
      await api.close();
    }
  });
});
