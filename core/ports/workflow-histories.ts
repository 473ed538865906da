/** What the workflow engine keeps of one tenant's workflows. Its lists lag behind by about a second. */
export interface WorkflowHistories {
  count(tenantId: string): Promise<{ readonly all: number; readonly running: number }>;
  /** Ends running workflows at once, without their own clean-up; a page at a time. Idempotent. @returns how many were asked to end */
  terminate(tenantId: string, reason: string): Promise<number>;
  /**
   * Ends every running workflow of a chosen id, of whatever tenant, at once and without its own clean-up.
   * Idempotent. @returns how many were asked to end
   */
  terminateChosen(isChosen: (workflowId: string) => boolean, reason: string): Promise<number>;
  /** Removes workflows with their histories, a page at a time. Idempotent. @returns how many were asked to go */
  remove(tenantId: string): Promise<number>;
  close(): Promise<void>;
}
