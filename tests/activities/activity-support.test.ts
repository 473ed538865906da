import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { oncePerActivity, withHeartbeat } from '../../activities/support/activity-context.js';
import { FailureInterceptor, toFailure } from '../../activities/support/failures.js';
import { mergeActivities } from '../../activities/support/merge-activities.js';
import { superviseLoop } from '../../activities/support/background.js';
import { AppError, conflict, ERROR_CODES, unavailable } from '../../core/errors/app-error.js';
import { createLogger } from '../../core/logging/logger.js';
import { asTenantId } from '../../core/security/ids.js';
import { audit } from '../../models/audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../../models/audit/audit.types.js';
import { Database } from '../../models/orm/in-tenant.js';
import { testDatabase, type TestDatabase } from '../setup/engines.js';

const { logger } = createLogger({ level: 'fatal', name: 'test', file: null });

describe('activity support', () => {
  let clone: TestDatabase;
  let database: Database;
  const tenantId = asTenantId(randomUUID());
  beforeAll(async () => {
    clone = await testDatabase();
    database = await Database.open({
      appUrl: clone.appUrl,
      platformUrl: clone.platformUrl,
      appPool: 8,
      platformPool: 2,
      applicationName: 'test',
    });
  });
  afterAll(async () => {
    await database.close();
    await clone.drop();
  });

  const attempt = (workflow: string, activityId: string, attemptNo: number) =>
    new MockActivityEnvironment(
      { activityId, attempt: attemptNo, workflowExecution: { workflowId: workflow, runId: 'run' } },
      { logger: new DefaultLogger('ERROR') },
    );
  const rows = async (action: string) =>
    database.inPlatform(
      async (tx) =>
        (
          await tx.query<{ n: number }>('select count(*) as n from audit_entry where action = $1', [action])
        )[0]?.n,
    );
  const effect =
    (action: string, crash = false) =>
    async () => {
      const result = await database.inTenant(tenantId, (tx) =>
        oncePerActivity(tx, async () => {
          await audit(tx, tenantId, SYSTEM_ACTOR, { action, target: { kind: 'k', id: 'i' } });
          return { token: randomUUID() };
        }),
      );
      if (crash) throw new Error('died after the commit');
      return result;
    };

  it('has one effect and one result however often an activity is tried', async () => {
    const [action, workflow] = ['once.effect', randomUUID()];
    await expect(attempt(workflow, '7', 1).run(effect(action, true))).rejects.toThrow('died');
    const second = await attempt(workflow, '7', 2).run(effect(action));
    const third = await attempt(workflow, '7', 3).run(effect(action));
    expect(third).toEqual(second);
    expect(await rows(action)).toBe(1);
    await attempt(workflow, '8', 1).run(effect(action));
    expect(await rows(action)).toBe(2);
  });

  it('has one effect when two attempts run at the same time', async () => {
    const [action, workflow] = ['raced.effect', randomUUID()];
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, n) => attempt(workflow, '1', n + 1).run(effect(action))),
    );
    expect(new Set(results.map((result) => (result as { token: string }).token)).size).toBe(1);
    expect(await rows(action)).toBe(1);
  });

  it('leaves no key behind when the effect rolls back', async () => {
    const [action, workflow] = ['rolled.back', randomUUID()];
    const failing = () =>
      database.inTenant(tenantId, (tx) => oncePerActivity(tx, () => Promise.reject(new Error('no'))));
    await expect(attempt(workflow, '1', 1).run(failing)).rejects.toThrow('no');
    await attempt(workflow, '1', 2).run(effect(action));
    expect(await rows(action)).toBe(1);
  });

  it('heartbeats while it works, with the latest progress, and hears a cancel', async () => {
    const env = attempt(randomUUID(), '1', 1);
    const beats: unknown[] = [];
    env.on('heartbeat', (details: unknown) => {
      if (beats.push(details) === 5) env.cancel('CANCELLED');
    });
    const running = env.run(() =>
      withHeartbeat(async ({ signal, progress, previous }) => {
        expect(previous).toBeNull();
        progress({ offset: 5 });
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      }, 10),
    );
    await expect(running).rejects.toThrow('CANCELLED');
    expect(beats.length).toBeGreaterThanOrEqual(5);
    expect(beats.at(-1)).toEqual({ offset: 5 });
  });

  it('resumes from what the last attempt reported', async () => {
    const env = new MockActivityEnvironment({ heartbeatDetails: { offset: 9 }, attempt: 2 });
    expect(await env.run(() => withHeartbeat(async ({ previous }) => previous))).toEqual({ offset: 9 });
  });

  it('maps every error code, repeats only what may succeed later', () => {
    const retried = ERROR_CODES.filter(
      (code) => (toFailure(new AppError(code, 'm')) as ApplicationFailure).nonRetryable === false,
    );
    expect(retried).toEqual([
      'too_many_requests',
      'internal_error',
      'bad_gateway',
      'service_unavailable',
      'gateway_timeout',
    ]);
    expect(toFailure(conflict('It is frozen.', { state: 'FROZEN' }))).toMatchObject({
      type: 'conflict',
      message: 'It is frozen.',
      details: [{ state: 'FROZEN' }],
      nonRetryable: true,
    });
    const asked = new AppError('bad_gateway', 'later', null, { retryAfterS: 3 });
    expect(toFailure(asked)).toMatchObject({ nextRetryDelay: 3000 });
    // Its own parts are away: the delays of the activity grow, so that its tries last for an hour.
    expect((toFailure(unavailable('later')) as ApplicationFailure).nextRetryDelay).toBeUndefined();
    const plain = new Error('bug');
    expect(toFailure(plain)).toBe(plain);
  });

  it('reports an abort that a cancel caused as cancelled, and other errors as they are', async () => {
    const env = attempt(randomUUID(), '1', 1);
    const reports: unknown[] = [];
    const wrapped = (body: (signal: AbortSignal) => Promise<unknown>) => () =>
      new FailureInterceptor(env.context, (...report) => reports.push(report)).execute({}, () =>
        body(env.context.cancellationSignal),
      );
    await expect(env.run(wrapped(() => Promise.reject(conflict('no'))))).rejects.toBeInstanceOf(
      ApplicationFailure,
    );
    expect(reports).toHaveLength(1);
    const running = env.run(
      wrapped(
        (signal) =>
          new Promise((_, reject) =>
            signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError'))),
          ),
      ),
    );
    env.cancel('CANCELLED');
    await expect(running).rejects.toMatchObject({ name: 'CancelledFailure' });
    expect(reports).toHaveLength(1);
  });

  it('refuses two activities of the same name', () => {
    const activity = async () => 1;
    expect(() => mergeActivities([{ a: activity }, { a: activity }])).toThrow('two activities are named a');
    expect(Object.keys(mergeActivities([{ a: activity }, { b: activity }]))).toEqual(['a', 'b']);
  });

  it('starts a background loop again after it failed and ends it when asked', async () => {
    const abort = new AbortController();
    let runs = 0;
    const run = async (signal: AbortSignal) => {
      runs += 1;
      if (runs === 1) throw new Error('first');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    };
    const supervised = superviseLoop({ name: 'l', run }, abort.signal, logger);
    while (runs < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    abort.abort();
    await supervised;
    expect(runs).toBe(2);
  });
});
