/** Which workflow is signalled when the state of a row changes. */
export interface WakeTarget {
  readonly workflowId: string;
  readonly signal: string;
}

/** A row whose state changed, with the workflow that waits for it. */
export interface WokenRow {
  readonly tenantId: string;
  readonly workflowId: string | null;
  readonly workflowSignal: string | null;
}
