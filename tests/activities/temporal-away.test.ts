import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Circuit } from '../../activities/dispatch/circuit.js';
import { Dispatcher } from '../../activities/dispatch/dispatcher.js';
import { checkTemporal } from '../../adapters/temporal/temporal-health.js';
import { createWorkflowHistories } from '../../adapters/temporal/temporal-histories.js';
import {
  createWorkflowEngine,
  type ManagedWorkflowEngine,
} from '../../adapters/temporal/temporal-workflow-engine.js';
import { createLogger } from '../../core/logging/logger.js';
import type { Mailer } from '../../core/ports/mailer.js';
import { asTenantId } from '../../core/security/ids.js';
import { parseKeyRing } from '../../core/security/key-ring.js';
import { Database } from '../../models/orm/in-tenant.js';
import { Listener } from '../../models/orm/listener.js';
import { dispatch, workflowId } from '../../models/outbox/dispatch.js';
import { sealMail } from '../../models/outbox/sealed-mail.js';
import { SilentProxy } from '../fakes/silent-proxy.js';
import { testDatabase, type TestDatabase, testNamespace } from '../setup/engines.js';

const { logger } = createLogger({ level: 'fatal', name: 'test', file: null });
const tenantId = asTenantId(randomUUID());
const start = (id: string) => ({
  ...{ workflowType: 'probe', workflowId: id, taskQueue: 'nobody-polls', input: {}, tenantId },
});
const newId = () => workflowId('probe', tenantId, randomUUID(), 1);

describe('a namespace that is not there', () => {
  let address: string;
  let engine: ManagedWorkflowEngine;
  let missing: ManagedWorkflowEngine;
  beforeAll(async () => {
    const { namespace, ...access } = await testNamespace();
    address = access.address;
    engine = createWorkflowEngine({ address, namespace });
    missing = createWorkflowEngine({ address, namespace: 'not-made-yet' });
  });
  afterAll(async () => {
    await engine.close();
    await missing.close();
  });

  it('is an engine that is away, whatever is asked of it; a workflow that is not there is an answer', async () => {
    const asked = (of: ManagedWorkflowEngine) =>
      [
        of.signal(newId(), 'go', [], 'k'),
        of.signalWithStart(start(newId()), 'go', [], 'k').then(() => false),
        of.cancel(newId()),
        of.isOpen(newId()),
        of.start(start(newId())).then((isNew) => !isNew),
      ].map((call) => call.catch((error: { code: string }) => error.code));
    expect(await Promise.all(asked(engine))).toEqual([false, false, false, false, false]);
    expect(await Promise.all(asked(missing))).toEqual(Array.from({ length: 5 }, () => 'service_unavailable'));
    await expect(engine.reach()).resolves.toBeUndefined();
    await expect(missing.reach()).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('TEMPORAL_NAMESPACE'),
    });
  });

  it('is said in health, and is no empty list of histories', async () => {
    await expect(checkTemporal({ address }, 'not-made-yet', 2000)).rejects.toThrow(
      'Temporal answers and has no namespace not-made-yet.',
    );
    const histories = createWorkflowHistories({ address, namespace: 'not-made-yet' });
    await expect(histories.count(tenantId)).rejects.toMatchObject({ code: 'service_unavailable' });
    await expect(histories.remove(tenantId)).rejects.toMatchObject({ code: 'service_unavailable' });
    await histories.close();
  });
});

describe('a Temporal that serves', () => {
  it('says in health which namespace, and what others who run it must look after', async () => {
    const { address, namespace } = await testNamespace();
    const ours = await checkTemporal({ address }, namespace, 2000);
    expect(ours).toBe(`Serves namespace ${namespace}.`);
    const foreign = await checkTemporal({ address }, namespace, 2000, false);
    expect(foreign).toContain(ours);
    expect(foreign).toContain('matching.enableFairness');
  });
});

describe('a Temporal that takes connections and never answers', () => {
  const ENTRIES = 300;
  let clone: TestDatabase;
  let database: Database;
  let listener: Listener;
  let proxy: SilentProxy;
  let engine: ManagedWorkflowEngine;
  const stop = new AbortController();
  const keys = parseKeyRing(`k1:${randomBytes(32).toString('base64')}`);

  beforeAll(async () => {
    clone = await testDatabase();
    database = await Database.open({
      ...{ appUrl: clone.appUrl, platformUrl: clone.platformUrl, appPool: 4, platformPool: 4 },
      applicationName: 'test',
    });
    const { address, namespace } = await testNamespace();
    proxy = await SilentProxy.before(address);
    engine = createWorkflowEngine({ address: proxy.address, namespace });
    listener = new Listener({ connectionString: clone.platformUrl, applicationName: 'test' });
    await listener.start();
  });
  afterAll(async () => {
    stop.abort();
    proxy.close();
    await listener.stop();
    await engine.close();
    await database.close();
    await clone.drop();
  });

  const rows = () =>
    database.inPlatform((tx) =>
      tx.query<{ kind: string; attempts: number; refusals: number }>(
        'select kind, attempts, refusals from dispatch',
      ),
    );
  const until = async (what: () => Promise<boolean>, ms: number) => {
    for (const endMs = Date.now() + ms; Date.now() < endMs; ) {
      if (await what()) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('not in time');
  };

  it('gets a few tries and then questions only, while mails go; everything goes once it answers', async () => {
    const states: string[] = [];
    const circuit = new Circuit({ reach: engine.reach, onChange: (state) => void states.push(state) });
    const sent: string[] = [];
    const mailer: Mailer = { send: async (_mail, key) => void sent.push(key) };
    const deps = { database, listener, engine, mailer, keys, logger, circuit };
    const removeMails = async () => undefined;
    // A connection that is up before the silence, as in a platform that runs.
    await engine.reach();
    proxy.silence();
    await database.inTenant(tenantId, async (tx) => {
      for (let left = ENTRIES; left > 0; left -= 1)
        await dispatch(tx, { kind: 'start', start: start(newId()) });
    });
    void new Dispatcher({ ...deps, removeMails }).run(stop.signal);
    void new Dispatcher({ ...deps, removeMails }, 'mail').run(stop.signal);
    await until(async () => circuit.isOpen, 15_000);
    const mail = {
      to: 'a@example.org',
      subject: 's',
      text: 't',
      kind: 'reset-password',
      token: 't',
    } as const;
    await database.inPlatform((tx) =>
      dispatch(tx, { kind: 'mail', tenantId: null, mail: sealMail(keys, mail, null) }),
    );
    await until(async () => sent.length === 1, 2000);
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    const waiting = await rows();
    expect(waiting).toHaveLength(ENTRIES);
    // One batch found it out; after that nothing was tried, however much was due.
    expect(waiting.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(50);
    expect(waiting.every(({ refusals }) => refusals === 0)).toBe(true);
    expect(states).toEqual(['open']);
    proxy.speak();
    await until(async () => (await rows()).length === 0, 10_000);
    expect(states).toEqual(['open', 'half-open', 'closed']);
  });
});
