import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createWorkflowEngine,
  type ManagedWorkflowEngine,
} from '../../adapters/temporal/temporal-workflow-engine.js';
import { Dispatcher } from '../../activities/dispatch/dispatcher.js';
import type { Mail, Mailer } from '../../core/ports/mailer.js';
import type { WorkflowEngine } from '../../core/ports/workflow-engine.js';
import { asTenantId } from '../../core/security/ids.js';
import { unavailable, unprocessable } from '../../core/errors/app-error.js';
import { parseKeyRing } from '../../core/security/key-ring.js';
import { createLogger } from '../../core/logging/logger.js';
import { Database } from '../../models/orm/in-tenant.js';
import { dispatch, type DispatchEntry, workflowId } from '../../models/outbox/dispatch.js';
import {
  dispatchBacklog,
  GIVE_UP_AFTER,
  leaseDueEntries,
  listGivenUp,
  retryGivenUp,
} from '../../models/outbox/dispatch.platform.js';
import { awaitingDispatch } from '../../models/system/stalled-work.platform.js';
import { sealMail } from '../../models/outbox/sealed-mail.js';
import { Listener } from '../../models/orm/listener.js';
import { testDatabase, type TestDatabase, testNamespace } from '../setup/engines.js';

const { logger } = createLogger({ level: 'fatal', name: 'test', file: null });
const tenantId = asTenantId(randomUUID());
const keys = parseKeyRing(`k1:${randomBytes(32).toString('base64')}`);
const mail: Mail = {
  to: 'ada@example.org',
  subject: 's',
  text: 'only-for-ada',
  kind: 'reset-password',
  token: 'only-for-ada',
};
const QUEUE = 'nobody-polls';

describe('dispatcher', () => {
  let clone: TestDatabase;
  let database: Database;
  let engine: ManagedWorkflowEngine;
  let listener: Listener;
  const mailer: Mailer = { send: () => Promise.reject(new Error('this lane sends no mails')) };
  const removeMails = () => Promise.reject(new Error('no mails are removed here'));
  const running: AbortController[] = [];

  beforeAll(async () => {
    clone = await testDatabase();
    database = await Database.open({
      appUrl: clone.appUrl,
      platformUrl: clone.platformUrl,
      appPool: 4,
      platformPool: 4,
      applicationName: 'test',
    });
    engine = createWorkflowEngine(await testNamespace());
    listener = new Listener({ connectionString: clone.platformUrl, applicationName: 'test' });
    await listener.start();
  });
  afterEach(() => {
    for (const abort of running.splice(0)) abort.abort();
  });
  afterAll(async () => {
    await listener.stop();
    await engine.close();
    await database.close();
    await clone.drop();
  });

  const write = (...entries: DispatchEntry[]) =>
    database.inTenant(tenantId, async (tx) => {
      for (const entry of entries) await dispatch(tx, entry);
    });
  const startEntry = (id: string): DispatchEntry => ({
    kind: 'start',
    start: { workflowType: 'probe', workflowId: id, taskQueue: QUEUE, input: { id }, tenantId },
  });
  const newId = () => workflowId('probe', tenantId, randomUUID(), 1);
  const make = (using: Partial<WorkflowEngine> = {}) =>
    new Dispatcher({
      database,
      listener,
      engine: {
        start: engine.start,
        signal: engine.signal,
        signalWithStart: engine.signalWithStart,
        cancel: engine.cancel,
        isOpen: engine.isOpen,
        reach: engine.reach,
        ...using,
      },
      mailer,
      removeMails,
      keys,
      logger,
    });
  const makeForMails = (send: Mailer['send'], observed: string[] = []) =>
    new Dispatcher(
      {
        database,
        listener,
        engine,
        mailer: { send },
        removeMails,
        keys,
        logger,
        observe: (kind, outcome) => void observed.push(`${kind} ${outcome}`),
      },
      'mail',
    );
  const writeMail = (expiresAt: Date | null = null) =>
    database.inPlatform((tx) =>
      dispatch(tx, { kind: 'mail', tenantId: null, mail: sealMail(keys, mail, expiresAt) }),
    );
  const run = (dispatcher: Dispatcher) => {
    const abort = new AbortController();
    running.push(abort);
    return dispatcher.run(abort.signal);
  };
  const backlog = async () => (await dispatchBacklog(database)).count;
  const until = async (check: () => Promise<boolean>) => {
    for (let left = 200; left > 0; left -= 1) {
      if (await check()) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error('did not happen in time');
  };
  const events = async (id: string) =>
    (await engine.client.workflow.getHandle(id).fetchHistory()).events ?? [];

  it('starts a workflow at the commit, not at the next poll, with its tenant as search attribute', async () => {
    void run(make());
    await new Promise((resolve) => setTimeout(resolve, 100));
    const id = newId();
    await write(startEntry(id));
    // Five seconds at most, where the next poll is half a minute away.
    await until(async () => (await backlog()) === 0);
    const found = await engine.client.workflow.getHandle(id).describe();
    expect(found.searchAttributes).toMatchObject({ TenantId: [tenantId] });
  });

  it('leaves nothing to do when the transaction rolls back', async () => {
    await expect(
      database.inTenant(tenantId, async (tx) => {
        await dispatch(tx, startEntry(newId()));
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await backlog()).toBe(0);
  });

  it('counts a running and a finished workflow of the same id as started', async () => {
    const id = newId();
    await write(startEntry(id), startEntry(id));
    const dispatcher = make();
    while ((await dispatcher.tick()) > 0);
    const first = (await engine.client.workflow.getHandle(id).describe()).runId;
    await engine.client.workflow.getHandle(id).terminate();
    await write(startEntry(id));
    while ((await dispatcher.tick()) > 0);
    expect(await backlog()).toBe(0);
    expect((await engine.client.workflow.getHandle(id).describe()).runId).toBe(first);
  });

  it('keeps the order of one workflow: signal and cancel never overtake the start', async () => {
    const ids = Array.from({ length: 20 }, newId);
    for (const id of ids)
      await write(
        startEntry(id),
        { kind: 'signal', tenantId, workflowId: id, signal: 'first', args: [1] },
        { kind: 'signal', tenantId, workflowId: id, signal: 'second', args: [2] },
        { kind: 'cancel', tenantId, workflowId: id },
      );
    void run(make());
    void run(make());
    await until(async () => (await backlog()) === 0);
    for (const id of ids) {
      const names = (await events(id)).flatMap((event) =>
        event.workflowExecutionSignaledEventAttributes
          ? [event.workflowExecutionSignaledEventAttributes.signalName]
          : event.workflowExecutionCancelRequestedEventAttributes
            ? ['cancel']
            : [],
      );
      expect(names).toEqual(['first', 'second', 'cancel']);
    }
  });

  it('delivers a signal once although it crashed before it could forget it', async () => {
    const id = newId();
    await write(startEntry(id));
    const dispatcher = make();
    await dispatcher.tick();
    await write({ kind: 'signal', tenantId, workflowId: id, signal: 'go', args: [] });
    const [due] = await leaseDueEntries(database, 'work', 1, 0);
    await engine.signal(id, 'go', [], `dispatch:${due?.id}`);
    await dispatcher.tick();
    expect(await backlog()).toBe(0);
    expect((await events(id)).filter((event) => event.workflowExecutionSignaledEventAttributes)).toHaveLength(
      1,
    );
  });

  it('starts a workflow again for a signal that brings its start, and only where none runs', async () => {
    const id = newId();
    const entry = startEntry(id);
    if (entry.kind !== 'start') throw new Error('not a start');
    const look: DispatchEntry = {
      ...{ kind: 'signal', tenantId, workflowId: id, signal: 'look', args: [], start: entry.start },
    };
    const deliver = async (...entries: DispatchEntry[]) => {
      await write(...entries);
      const dispatcher = make();
      while ((await dispatcher.tick()) > 0);
      return (await engine.client.workflow.getHandle(id).describe()).runId;
    };
    const first = await deliver(entry, look);
    expect(await deliver(look)).toBe(first);
    await engine.client.workflow.getHandle(id).terminate();
    const second = await deliver(look);
    expect(second).not.toBe(first);
    const found = await engine.client.workflow.getHandle(id).describe();
    expect([found.status.name, found.searchAttributes]).toEqual(['RUNNING', { TenantId: [tenantId] }]);
    expect((await events(id)).filter((event) => event.workflowExecutionSignaledEventAttributes)).toHaveLength(
      1,
    );
    expect(await backlog()).toBe(0);
  });

  it('tries a failing entry again with the reason kept, and holds back what follows it', async () => {
    const id = newId();
    await write(startEntry(id), { kind: 'signal', tenantId, workflowId: id, signal: 'later', args: [] });
    let failures = 0;
    const dispatcher = make({
      start: async (request) => {
        failures += 1;
        if (failures === 1) throw new Error('not now');
        return engine.start(request);
      },
    });
    expect(await dispatcher.tick()).toBe(0);
    const [row] = await database.inPlatform((tx) =>
      tx.query<{ last_error: string; attempts: number }>(
        'select last_error, attempts from dispatch order by id limit 1',
      ),
    );
    expect(row).toMatchObject({ last_error: 'not now', attempts: 1 });
    expect(await dispatcher.tick()).toBe(0);
    void run(dispatcher);
    await until(async () => (await backlog()) === 0);
    expect((await events(id)).filter((event) => event.workflowExecutionSignaledEventAttributes)).toHaveLength(
      1,
    );
  });

  it('runs each of 500 entries once with two dispatchers at work', async () => {
    const ids = Array.from({ length: 500 }, newId);
    const started: string[] = [];
    const start: WorkflowEngine['start'] = async (request) => {
      started.push(request.workflowId);
      return true;
    };
    await write(...ids.map(startEntry));
    void run(make({ start }));
    void run(make({ start }));
    await until(async () => (await backlog()) === 0);
    expect([...started].sort()).toEqual([...ids].sort());
  });

  it('sends mails with a key of their own, and keeps them sealed until then', async () => {
    const sent: Array<{ mail: Mail; key: string }> = [];
    await writeMail();
    const [row] = await database.inPlatform((tx) =>
      tx.query<{ payload: unknown }>("select payload from dispatch where kind = 'mail'"),
    );
    expect(JSON.stringify(row?.payload)).not.toMatch(/only-for-ada|ada@example/);
    expect(await make().tick()).toBe(0);
    await makeForMails(async (mail, key) => void sent.push({ mail, key })).tick();
    expect(sent).toEqual([{ mail, key: expect.stringMatching(/^dispatch:\d+$/) as unknown as string }]);
    expect(await backlog()).toBe(0);
  });

  it('tries a mail again, but gives up one that is refused for good or came too late, and says so in the audit', async () => {
    const observed: string[] = [];
    await writeMail();
    let answer: Error = new Error('451 come back later');
    const dispatcher = makeForMails(() => Promise.reject(answer), observed);
    await dispatcher.tick();
    expect(await backlog()).toBe(1);
    answer = unprocessable([], 'The mail server refused the mail for good (550).');
    await database.inPlatform((tx) => tx.execute('update dispatch set next_attempt_at = now()'));
    await dispatcher.tick();
    await writeMail(new Date(Date.now() - 1000));
    await dispatcher.tick();
    expect(await backlog()).toBe(0);
    expect(observed).toEqual(['mail failed', 'mail dropped', 'mail dropped']);
    const rows = await database.inPlatform((tx) =>
      tx.query(
        "select outcome, target_label, detail->>'reason' as reason from audit_entry where action = 'mail.drop' order by id",
      ),
    );
    expect(rows).toEqual([
      {
        outcome: 'failed',
        target_label: 'reset-password',
        reason: 'The mail server refused the mail for good (550).',
      },
      {
        outcome: 'failed',
        target_label: 'reset-password',
        reason: 'The mail expired before it could be sent.',
      },
    ]);
  });

  it('does not send a mail twice that is worth nothing twice, when its sender died with the mail server about to take it', async () => {
    const writeOnce = () =>
      database.inPlatform((tx) =>
        dispatch(tx, { kind: 'mail', tenantId: null, mail: sealMail(keys, mail, null, true) }),
      );
    const later = () =>
      database.inPlatform((tx) => tx.execute('update dispatch set next_attempt_at = now()'));
    const sent: string[] = [];
    const send: Mailer['send'] = async (_mail, key, beforeHandOver) => {
      await beforeHandOver?.();
      sent.push(key);
    };
    // A failure that is known is tried again, also after the mail was handed over.
    await writeOnce();
    await makeForMails(async (given, key, beforeHandOver) => {
      await send(given, key, beforeHandOver);
      throw new Error('451 come back later');
    }).tick();
    await later();
    await makeForMails(send).tick();
    expect([sent.length, new Set(sent).size, await backlog()]).toEqual([2, 1, 0]);
    // One that died before the server got anything left nothing to doubt.
    await writeOnce();
    void makeForMails(() => new Promise(() => undefined)).tick();
    await until(
      async () =>
        (await database.inPlatform((tx) => tx.query('select 1 from dispatch where attempts = 1'))).length ===
        1,
    );
    await later();
    await makeForMails(send).tick();
    expect([sent.length, await backlog()]).toEqual([3, 0]);
    await writeOnce();
    void makeForMails(async (given, key, beforeHandOver) => {
      await send(given, key, beforeHandOver);
      await new Promise(() => undefined);
    }).tick();
    await until(async () => sent.length === 4);
    await later();
    const observed: string[] = [];
    await makeForMails(send, observed).tick();
    expect([sent.length, await backlog(), observed]).toEqual([4, 0, ['mail dropped']]);
  });

  it('starts workflows while a mail server keeps its dispatcher waiting', async () => {
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    await writeMail();
    const held = makeForMails(() => {
      asked.resolve();
      return answered.promise;
    }).tick();
    await asked.promise;
    await write(startEntry(newId()));
    expect(await make().tick()).toBe(1);
    answered.resolve();
    await held;
    expect(await backlog()).toBe(0);
  });

  it('counts an entry that failed twenty times among the stuck ones and keeps trying it', async () => {
    await write(startEntry(newId()));
    await database.inPlatform((tx) => tx.execute('update dispatch set attempts = 19'));
    await make({ start: () => Promise.reject(new Error('never')) }).tick();
    expect(await dispatchBacklog(database)).toMatchObject({ count: 1, stuck: 1 });
    await database.inPlatform((tx) => tx.execute('update dispatch set next_attempt_at = now()'));
    await make().tick();
    expect(await backlog()).toBe(0);
  });

  it('sets aside what is refused twenty times, with the reason and what follows it, until it is asked for again', async () => {
    const id = newId();
    await write(startEntry(id), { kind: 'cancel', tenantId, workflowId: id });
    let answer: Error = unavailable('Temporal is away.');
    const dispatcher = make({ start: () => Promise.reject(answer) });
    const due = () =>
      database.inPlatform((tx) =>
        tx.execute("update dispatch set next_attempt_at = now() where next_attempt_at < 'infinity'"),
      );
    const tryTimes = async (times: number) => {
      for (let left = times; left > 0; left -= 1) {
        await due();
        await dispatcher.tick();
      }
    };
    // However long the engine is away, nothing is given up.
    await tryTimes(30);
    expect(await listGivenUp(database, 5)).toEqual({ items: [], total: 0 });
    answer = new Error('INVALID_ARGUMENT: the input is too large');
    await tryTimes(GIVE_UP_AFTER - 1);
    expect((await listGivenUp(database, 5)).total).toBe(0);
    await tryTimes(1);
    expect(await listGivenUp(database, 5)).toMatchObject({
      total: 1,
      items: [{ kind: 'start', workflowId: id, reason: expect.stringContaining('too large') }],
    });
    expect(await awaitingDispatch(database, [id])).toEqual(new Set());
    const reported = await database.inPlatform((tx) =>
      tx.query("select target_label from audit_entry where action = 'dispatch.give_up'"),
    );
    expect(reported).toEqual([{ target_label: id }]);
    await due();
    expect(await make().tick()).toBe(0);
    expect((await retryGivenUp(database, 5)).total).toBe(1);
    while ((await make().tick()) > 0);
    expect(await backlog()).toBe(0);
    expect((await engine.client.workflow.getHandle(id).describe()).status.name).toBe('RUNNING');
  });

  it('goes on by itself after the listening connection was cut', async () => {
    void run(make());
    await database.inPlatform((tx) => tx.query('select 1'));
    await cutListeners(clone);
    const id = newId();
    await write(startEntry(id));
    await until(async () => (await backlog()) === 0);
    await until(async () => listener.isUp);
    expect((await engine.client.workflow.getHandle(id).describe()).status.name).toBe('RUNNING');
  });
});

async function cutListeners(clone: TestDatabase): Promise<void> {
  const pg = (await import('pg')).default;
  const client = new pg.Client({ connectionString: clone.ownerUrl });
  await client.connect();
  await client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'listen%'",
  );
  await client.end();
}
