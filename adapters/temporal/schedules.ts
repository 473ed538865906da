import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { TENANT_ATTRIBUTE } from './temporal-workflow-engine.js';

export interface ScheduleSpec {
  readonly scheduleId: string;
  readonly workflowType: string;
  readonly taskQueue: string;
  readonly everyS: number;
}

/** Makes a repeating start of the platform what this version says it is. Idempotent; keeps a pause set by staff. */
export async function upsertSchedule(client: Client, spec: ScheduleSpec): Promise<void> {
  const parts = {
    spec: { intervals: [{ every: spec.everyS * 1000 }], jitter: Math.min(60_000, spec.everyS * 100) },
    action: {
      type: 'startWorkflow' as const,
      workflowType: spec.workflowType,
      workflowId: `${spec.scheduleId}:platform`,
      taskQueue: spec.taskQueue,
      args: [],
      typedSearchAttributes: [{ key: TENANT_ATTRIBUTE, value: 'platform' }],
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: spec.everyS * 1000 },
  };
  try {
    await client.schedule.create({ scheduleId: spec.scheduleId, ...parts });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await update(client, spec.scheduleId, parts);
  }
}

export async function hasSchedule(client: Client, scheduleId: string): Promise<boolean> {
  try {
    await client.schedule.getHandle(scheduleId).describe();
    return true;
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return false;
    throw error;
  }
}

async function update(client: Client, scheduleId: string, parts: object): Promise<void> {
  try {
    await client.schedule.getHandle(scheduleId).update((previous) => ({ ...previous, ...parts }));
  } catch (error) {
    // Removed by staff in between: the next start of a worker makes it again.
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}
