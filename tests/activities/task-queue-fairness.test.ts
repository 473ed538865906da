import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AssemblyLanes } from '../../activities/datasets/assembly-lanes.js';
import { TasksByHand } from './tasks-by-hand.js';

const MANY = 60;

let tasks: TasksByHand;
beforeAll(async () => {
  tasks = await TasksByHand.open();
});
afterAll(() => tasks.close());

/** Polled by hand: a worker would take many tasks at once, and the order of what it takes is the matter here. */
describe('a task queue', () => {
  /** How many are served until the last one is, itself among them. */
  const place = async (
    poll: typeof tasks.pollWorkflow | typeof tasks.pollActivity,
    queue: string,
    last: string,
  ) => {
    for (let served = 1; served <= MANY + 1; served += 1)
      if ((await poll(queue)).workflowExecution?.workflowId === last) return served;
    return null;
  };

  it('serves a tenant that comes last before those who came first are all served', async () => {
    const taskQueue = `fair-${randomUUID()}`;
    const crowd = randomUUID();
    for (let left = MANY; left > 0; left -= 1) await tasks.start(taskQueue, crowd);
    const last = await tasks.start(taskQueue, randomUUID());
    await tasks.untilWaiting(taskQueue, 'workflow', MANY + 1);
    expect(await place(tasks.pollWorkflow, taskQueue, last)).toBeLessThan(MANY / 6);
  });

  it('gives activities the tenant of their workflow', async () => {
    const taskQueue = `fair-${randomUUID()}`;
    const crowd = randomUUID();
    for (let left = MANY; left > 0; left -= 1) await tasks.schedule(taskQueue, crowd);
    const last = await tasks.schedule(taskQueue, randomUUID());
    await tasks.untilWaiting(taskQueue, 'activity', MANY + 1);
    expect(await place(tasks.pollActivity, taskQueue, last)).toBeLessThan(MANY / 6);
  });
});

describe('two workers for data', () => {
  const PLACES = 4;
  const taskQueue = `data-${randomUUID()}`;
  /** Tenants of the assemblies in the order in which they began. */
  const begun: string[] = [];
  const ends: Array<() => void> = [];
  let isOver = false;
  /** One for each worker: a connection takes one worker of a queue. */
  let connections: NativeConnection[] = [];
  let stop = async (): Promise<unknown> => undefined;

  beforeAll(async () => {
    const { address } = tasks.access;
    connections = await Promise.all([1, 2].map(() => NativeConnection.connect({ address })));
    const workers = await Promise.all(connections.map(aWorker));
    const running = Promise.all(workers.map((worker) => worker.run()));
    stop = () => {
      for (const worker of workers) worker.shutdown();
      return running;
    };
  });
  afterAll(async () => {
    isOver = true;
    for (const end of ends) end();
    await stop();
    await Promise.all(connections.map((connection) => connection.close()));
  });

  /** Each with lanes of its own, as two processes have. */
  const aWorker = (connection: NativeConnection) => {
    const lanes = new AssemblyLanes();
    const probe = () => {
      const { cancellationSignal, info } = Context.current();
      const tenantId = info.workflowExecution?.workflowId.split(':')[1] as string;
      return lanes.run(tenantId, 'quick', cancellationSignal, async () => {
        begun.push(tenantId);
        if (!isOver) await new Promise<void>((resolve) => void ends.push(resolve));
      });
    };
    return Worker.create({
      ...{ connection, namespace: tasks.access.namespace, taskQueue, activities: { probe } },
      maxConcurrentActivityTaskExecutions: PLACES,
    });
  };
  const until = async (isSo: () => boolean) => {
    for (let left = 600; left > 0 && !isSo(); left -= 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isSo()).toBe(true);
  };

  it('begin the assembly of a tenant that comes last in the next places that fall free', async () => {
    const [crowd, last] = [randomUUID(), randomUUID()];
    for (let left = MANY; left > 0; left -= 1) await tasks.schedule(taskQueue, crowd);
    await until(() => begun.length === 2 * PLACES);
    await tasks.schedule(taskQueue, last);
    await tasks.untilWaiting(taskQueue, 'activity', MANY - 2 * PLACES + 1);
    // One after the other: the next one has begun before another place falls free.
    while (!begun.includes(last) && begun.length < MANY) {
      const before = begun.length;
      ends.shift()?.();
      await until(() => begun.length > before);
    }
    expect(begun.indexOf(last)).toBeLessThan(2 * PLACES + MANY / 6);
  });
});
