import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createWorkflowEngine,
  type ManagedWorkflowEngine,
} from '../../adapters/temporal/temporal-workflow-engine.js';
import { asTenantId } from '../../core/security/ids.js';
import { workflowId } from '../../models/outbox/dispatch.js';
import { testNamespace } from '../setup/engines.js';

const MANY = 60;
const SCHEDULE_ACTIVITY = 1;

/** Polled by hand: a worker would take many tasks at once, and the order of what it takes is the matter here. */
describe('a task queue', () => {
  let engine: ManagedWorkflowEngine;
  let namespace: string;

  beforeAll(async () => {
    const access = await testNamespace();
    ({ namespace } = access);
    engine = createWorkflowEngine(access);
  });
  afterAll(() => engine.close());

  const start = async (taskQueue: string, tenant: string): Promise<string> => {
    const tenantId = asTenantId(tenant);
    const id = workflowId('probe', tenantId, randomUUID(), 1);
    await engine.start({ workflowType: 'probe', workflowId: id, taskQueue, input: {}, tenantId });
    return id;
  };
  const polled = <T>(call: () => Promise<T>): Promise<T> =>
    engine.connection.withDeadline(Date.now() + 60_000, call);
  const workflowTask = (name: string) =>
    polled(() =>
      engine.connection.workflowService.pollWorkflowTaskQueue({
        ...{ namespace, identity: 'test', taskQueue: { name } },
      }),
    );
  const activityTask = (name: string) =>
    polled(() =>
      engine.connection.workflowService.pollActivityTaskQueue({
        ...{ namespace, identity: 'test', taskQueue: { name } },
      }),
    );
  /** How many are served until the last one is, itself among them. */
  const place = async (poll: typeof workflowTask | typeof activityTask, queue: string, last: string) => {
    for (let served = 1; served <= MANY + 1; served += 1)
      if ((await poll(queue)).workflowExecution?.workflowId === last) return served;
    return null;
  };

  it('serves a tenant that comes last before those who came first are all served', async () => {
    const taskQueue = `fair-${randomUUID()}`;
    const crowd = randomUUID();
    for (let left = MANY; left > 0; left -= 1) await start(taskQueue, crowd);
    const last = await start(taskQueue, randomUUID());
    expect(await place(workflowTask, taskQueue, last)).toBeLessThan(MANY / 6);
  });

  it('gives activities the tenant of their workflow', async () => {
    const taskQueue = `fair-${randomUUID()}`;
    const activities = `${taskQueue}-activities`;
    const schedule = async (tenant: string): Promise<string> => {
      const id = await start(taskQueue, tenant);
      const { taskToken } = await workflowTask(taskQueue);
      await engine.connection.workflowService.respondWorkflowTaskCompleted({
        ...{ namespace, identity: 'test', taskToken },
        commands: [
          {
            commandType: SCHEDULE_ACTIVITY,
            scheduleActivityTaskCommandAttributes: {
              ...{ activityId: '1', activityType: { name: 'probe' }, taskQueue: { name: activities } },
              scheduleToCloseTimeout: { seconds: 600 as never },
            },
          },
        ],
      });
      return id;
    };
    const crowd = randomUUID();
    for (let left = MANY; left > 0; left -= 1) await schedule(crowd);
    const last = await schedule(randomUUID());
    expect(await place(activityTask, activities, last)).toBeLessThan(MANY / 6);
  });
});
