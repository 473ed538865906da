import type { DispatchEntry } from './dispatch.js';
import type { WokenRow } from './wake.types.js';

/** The signals to send in the transaction that changed the states. They carry nothing: look at the row. */
export const wakeEntries = (woken: readonly WokenRow[]): DispatchEntry[] =>
  woken.flatMap(({ tenantId, workflowId, workflowSignal }) =>
    workflowId === null || workflowSignal === null
      ? []
      : [{ kind: 'signal' as const, tenantId, workflowId, signal: workflowSignal, args: [] }],
  );
