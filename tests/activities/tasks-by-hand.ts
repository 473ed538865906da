import { randomUUID } from 'node:crypto';
import {
  createWorkflowEngine,
  type ManagedWorkflowEngine,
} from '../../adapters/temporal/temporal-workflow-engine.js';
import { asTenantId } from '../../core/security/ids.js';
import { workflowId } from '../../models/outbox/dispatch.js';
import { testNamespace, type TestNamespace } from '../setup/engines.js';

const SCHEDULE_ACTIVITY = 1;
const QUEUE_TYPE = { workflow: 1, activity: 2 } as const;

/** Workflows without code: their tasks are polled and answered by hand, one at a time, so that their order can be seen. */
export class TasksByHand {
  private constructor(
    private readonly engine: ManagedWorkflowEngine,
    readonly access: TestNamespace,
  ) {}

  static async open(): Promise<TasksByHand> {
    const access = await testNamespace();
    return new TasksByHand(createWorkflowEngine(access), access);
  }

  close(): Promise<void> {
    return this.engine.close();
  }

  /** @returns the id of the workflow */
  async start(taskQueue: string, tenant: string): Promise<string> {
    const tenantId = asTenantId(tenant);
    const id = workflowId('probe', tenantId, randomUUID(), 1);
    await this.engine.start({ workflowType: 'probe', workflowId: id, taskQueue, input: {}, tenantId });
    return id;
  }

  /** A workflow of the tenant that asks for one activity of the type `probe`. @returns its id */
  async schedule(activities: string, tenant: string): Promise<string> {
    const taskQueue = `${activities}-workflows`;
    const id = await this.start(taskQueue, tenant);
    const { taskToken } = await this.pollWorkflow(taskQueue);
    await this.service.respondWorkflowTaskCompleted({
      ...this.asTest,
      taskToken,
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
  }

  pollWorkflow = (name: string) =>
    this.withPatience(() => this.service.pollWorkflowTaskQueue({ ...this.asTest, taskQueue: { name } }));

  pollActivity = (name: string) =>
    this.withPatience(() => this.service.pollActivityTaskQueue({ ...this.asTest, taskQueue: { name } }));

  /** A workflow's start is answered before its task is in the queue: resolves once so many wait there. */
  async untilWaiting(name: string, type: keyof typeof QUEUE_TYPE, count: number): Promise<void> {
    for (const endMs = Date.now() + 60_000; Date.now() < endMs; ) {
      const { stats } = await this.service.describeTaskQueue({
        ...{ namespace: this.access.namespace, taskQueue: { name }, reportStats: true },
        taskQueueType: QUEUE_TYPE[type],
      });
      if (Number(stats?.approximateBacklogCount ?? 0) >= count) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${name} never had ${count} waiting`);
  }

  private get service() {
    return this.engine.connection.workflowService;
  }

  private get asTest() {
    return { namespace: this.access.namespace, identity: 'test' };
  }

  private withPatience<T>(call: () => Promise<T>): Promise<T> {
    return this.engine.connection.withDeadline(Date.now() + 60_000, call);
  }
}
