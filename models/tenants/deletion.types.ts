import type { DeletionStepKey } from './deletion-steps.types.js';

export const DELETION_STATUSES = ['pending', 'running', 'done', 'failed'] as const;
export type DeletionStatus = (typeof DELETION_STATUSES)[number];
/** Status of each step of a deletion, which is that of the whole. */
export type DeletionStepStatus = DeletionStatus;

/** What was found or removed, by kind: `table:<name>` for rows, other names for everything else. */
export type ErasureCounts = Readonly<Record<string, number>>;

/** Names one attempt of a deletion. */
export interface DeletionRef {
  readonly deletionId: string;
  /** Counted on the row: each retry is a new one; work of an older one changes nothing. */
  readonly attempt: number;
}

export interface DeletionRow extends DeletionRef {
  readonly tenantId: string;
  readonly tenantCode: string;
  readonly status: DeletionStatus;
  readonly statusMessage: string;
  readonly askedBy: string | null;
  readonly askedByEmail: string | null;
  /** The signed proof; null until done. */
  readonly certificate: Readonly<Record<string, unknown>> | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}

/** A tenant that was erased, or is about to be. */
export interface Erased {
  readonly deletionId: string;
  readonly tenantId: string;
  readonly tenantCode: string;
}

export interface DeletionStepRow {
  readonly key: DeletionStepKey;
  readonly status: DeletionStepStatus;
  readonly message: string;
  readonly counts: ErasureCounts;
  /** How often it was begun; crashes and retries count. */
  readonly runs: number;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}

export interface DeletionLogLine {
  readonly at: Date;
  /** Null for the deletion as a whole. */
  readonly step: DeletionStepKey | null;
  readonly message: string;
}
