export type DeletionStatus = 'pending' | 'running' | 'done' | 'failed';
/** Of the deletion and of each of its steps. */
export type DeletionStepStatus = DeletionStatus;

/** The steps of an erasure, in their order: what runs comes first, the tenant itself last, and then the proof. */
export const DELETION_STEPS = ['stop', 'workloads', 'objects', 'images', 'mails', 'rows', 'histories', 'audit', 'tenant', 'residue'] as const;
export type DeletionStepKey = (typeof DELETION_STEPS)[number];

export const DELETION_STEP_TITLES: Readonly<Record<DeletionStepKey, string>> = {
  stop: 'Stop all work',
  workloads: 'Remove workloads',
  objects: 'Remove stored objects and unfinished uploads',
  images: 'Remove images that no other tenant has',
  mails: 'Remove mails that tell of the tenant',
  rows: 'Remove rows of all tables',
  histories: 'Remove workflow histories',
  audit: 'Remove sealed ranges of the audit trail',
  tenant: 'Remove the tenant',
  residue: 'Search for residue',
};

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
