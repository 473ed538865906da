import { ResourceBasedController, type WorkerTuner } from '@temporalio/worker';
import type { Settings } from '../../core/config/settings.js';
import type { SlotQueue } from '../../core/config/temporal-settings.js';

export interface TemporalTuning {
  readonly slots: 'resources' | 'fixed';
  /** Activities at once, by queue: never more, whatever is free. */
  readonly mostSlots: Readonly<Record<SlotQueue, number>>;
  /** Workflow tasks at once, on each queue. */
  readonly workflowSlots: number;
  readonly pollers: number;
  readonly cachedWorkflows: number;
}

export const temporalTuning = (settings: Settings): TemporalTuning => ({
  slots: settings.SERVICE_TEMPORAL_SLOTS,
  mostSlots: settings.SERVICE_TEMPORAL_QUEUE_SLOTS,
  workflowSlots: settings.SERVICE_TEMPORAL_WORKFLOW_SLOTS,
  pollers: settings.SERVICE_TEMPORAL_POLLERS,
  cachedWorkflows: settings.SERVICE_TEMPORAL_CACHED_WORKFLOWS,
});

const TARGET = { targetMemoryUsage: 0.8, targetCpuUsage: 0.9 };
const SMALL_SLOTS = { type: 'fixed-size', numSlots: 1 } as const;
/** What runs here waits: for rows, for a workload. A machine that its own trainings fill must still follow them. */
const WAITS: ReadonlySet<SlotQueue> = new Set(['control', 'workload']);

/**
 * The slots of each queue's worker. Those for what reads, hashes and decodes shrink to half while the machine is full; all
 * workers of the process share one measurement of it.
 */
export function slotTuner({
  slots,
  mostSlots,
  workflowSlots,
}: TemporalTuning): (queue: SlotQueue) => WorkerTuner {
  const workflowTaskSlotSupplier = { type: 'fixed-size', numSlots: workflowSlots } as const;
  const rest = { localActivityTaskSlotSupplier: SMALL_SLOTS, nexusTaskSlotSupplier: SMALL_SLOTS };
  const controller = slots === 'resources' ? ResourceBasedController.create(TARGET) : null;
  return (queue) => {
    const most = mostSlots[queue];
    return {
      workflowTaskSlotSupplier,
      activityTaskSlotSupplier:
        controller === null || WAITS.has(queue)
          ? { type: 'fixed-size', numSlots: most }
          : {
              ...{ type: 'resource-based', controller },
              ...{ minimumSlots: Math.ceil(most / 2), maximumSlots: most },
            },
      ...rest,
    };
  };
}
