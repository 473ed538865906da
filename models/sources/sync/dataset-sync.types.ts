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

/** Maximum listed findings; further ones are only counted. */
export const MAX_LISTED_FINDINGS = 200;

/**
 * What a sync does with an entry of the manifest. `same`: the dataset has it; `keep`: it has other bytes,
 * uploaded here; `clash`: it would be a file and a folder at once; `too_large`: no object can hold it;
 * `outgrown`: nor this one, of which an earlier sync brought a smaller version.
 */
export type EntryAction = 'add' | 'change' | 'keep' | 'same' | 'clash' | 'too_large' | 'outgrown';

/** `later`: it was put off, since the source could not give it. */
export type EntryState = 'planned' | 'copying' | 'copied' | 'failed' | 'later';
