/** Starts and signals durable work. Used by the dispatcher alone: everyone else writes a dispatch row. */
export interface WorkflowEngine {
  /**
   * Starts a workflow whose id has never run; a running or finished workflow of that id counts as started.
   * @returns false when it had been started before
   */
  start(request: WorkflowStart): Promise<boolean>;
  /** Delivers a signal. A finished or unknown workflow is reported as false, never thrown. */
  signal(workflowId: string, signal: string, args: readonly unknown[]): Promise<boolean>;
  /** Asks for cancellation. False when there is nothing to cancel. */
  cancel(workflowId: string): Promise<boolean>;
}

export interface WorkflowStart {
  readonly workflowType: string;
  readonly workflowId: string;
  readonly taskQueue: string;
  /** Ids and object keys only, never data or secrets: histories are kept for 30 days. */
  readonly input: unknown;
  readonly tenantId: string | null;
}
