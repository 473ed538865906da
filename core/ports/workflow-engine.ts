/**
 * Starts and signals durable work. Used by the dispatcher alone: everyone else writes a dispatch row. Only the housekeeping
 * asks whether work is still open.
 */
export interface WorkflowEngine {
  /**
   * Starts a workflow whose id has never run; a running or finished workflow of that id counts as started. Idempotent.
   * @returns false when it ran and finished before
   */
  start(request: WorkflowStart): Promise<boolean>;
  /**
   * Delivers a signal, once for each `key`: a repeat with the same key is dropped by the engine while the workflow runs.
   * A finished or unknown workflow is reported as false, never thrown.
   */
  signal(workflowId: string, signal: string, args: readonly unknown[], key: string): Promise<boolean>;
  /**
   * As `signal`, and where no workflow of that id runs it is started, a second time if need be, with the signal. For work
   * that follows a row and may begin anew at any time. @returns whether it was started
   */
  signalWithStart(
    request: WorkflowStart,
    signal: string,
    args: readonly unknown[],
    key: string,
  ): Promise<boolean>;
  /** Asks for cancellation. Idempotent. False when there is nothing to cancel. */
  cancel(workflowId: string): Promise<boolean>;
  /** True while a workflow of this id runs; false when it has ended, or is not known (any more). Reads only. */
  isOpen(workflowId: string): Promise<boolean>;
  /** Returns when the engine answers for the platform's namespace, within two seconds. @throws AppError service_unavailable */
  reach(): Promise<void>;
}

export interface WorkflowStart {
  readonly workflowType: string;
  readonly workflowId: string;
  readonly taskQueue: string;
  /** Ids and object keys only, never data or secrets: histories are kept for 30 days. */
  readonly input: unknown;
  readonly tenantId: string | null;
}
