import type { DispatchEntry } from '../outbox/dispatch.js';

/** A workload whose status changed, with the workflow that waits for it. */
export interface WokenWorkload {
  readonly tenantId: string;
  readonly workflowId: string | null;
  readonly workflowSignal: string | null;
}

/** The signals to send in the transaction that changed the statuses. They carry nothing: look at the row. */
export const wakeEntries = (woken: readonly WokenWorkload[]): DispatchEntry[] =>
  woken.flatMap(({ tenantId, workflowId, workflowSignal }) =>
    workflowId === null || workflowSignal === null
      ? []
      : [{ kind: 'signal' as const, tenantId, workflowId, signal: workflowSignal, args: [] }],
  );
