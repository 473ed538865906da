export const SYNC_STATUSES = ['queued', 'running', 'done', 'failed', 'canceled'] as const;
export type SyncStatus = (typeof SYNC_STATUSES)[number];

export const SYNC_TRIGGERS = ['manual', 'schedule'] as const;
export type SyncTrigger = (typeof SYNC_TRIGGERS)[number];

/** Files and bytes of one kind of step. */
export interface SyncAmount {
  readonly files: number;
  readonly bytes: number;
}

/** What a sync does to a dataset, by comparing path and sha256 of the source's manifest with its files. */
export interface SyncPlan {
  /** Only the source has them. */
  readonly add: SyncAmount;
  /** An earlier sync brought them with other bytes. */
  readonly change: SyncAmount;
  /** An earlier sync brought them and the source has them no longer. */
  readonly remove: SyncAmount;
  readonly unchanged: SyncAmount;
  /** Uploaded here with other bytes than the source's: they stay. */
  readonly keep: SyncAmount;
}

/** A finding about one file, or about the whole (path null). */
export interface SyncFinding {
  readonly path: string | null;
  readonly code: string;
  readonly message: string;
}

/** Findings beyond so many are counted, not listed. */
export const MAX_LISTED_FINDINGS = 200;
