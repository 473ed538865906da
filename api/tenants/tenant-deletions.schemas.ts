/** State of a deletion and of each of its steps. */
export type DeletionState = 'pending' | 'running' | 'done' | 'failed';

/** What a deletion removes, or has removed. Kinds that the installation does not have count 0. */
export interface ErasureCountsOut {
  /** Rows of all tables of the database. */
  rows: number;
  /** Files of datasets, runs and model versions. */
  files: number;
  /** Bytes of the object store, without image layers that another tenant has too. */
  bytes: number;
  /** Stored objects, and uploads that were begun and not completed. */
  objects: number;
  images: number;
  endpoints: number;
  /** Jobs and services of the orchestrator, running or ended. */
  workloads: number;
  devices: number;
  alert_rules: number;
  silences: number;
  schedules: number;
  workflow_histories: number;
  /** Mails about it, waiting for a mail server or kept in the mail directory. */
  mails: number;
}

export interface DeletionPreviewOut {
  tenant_id: string;
  tenant_code: string;
  /** Text to be sent as `confirm_code`. */
  confirm_code: string;
  counts: ErasureCountsOut;
  /** Rows by table, tables without any left out. */
  tables: Record<string, number>;
}

export interface TenantDeleteRequest {
  /**
   * The code of the tenant, as a confirmation.
   * @minLength 1
   * @maxLength 100
   */
  confirm_code: string;
}

export interface DeletionStepOut {
  key: string;
  title: string;
  status: DeletionState;
  message: string;
  /** What was removed, by kind; rows as `table:<name>`. */
  counts: Record<string, number>;
  /** How often it was begun; more than once after a crash or a failure. */
  runs: number;
  started_at: string | null;
  finished_at: string | null;
}

export interface DeletionLogLineOut {
  at: string;
  step: string | null;
  message: string;
}

/** A deletion job without its log. */
export interface DeletionSummaryOut {
  id: string;
  tenant_id: string;
  tenant_code: string;
  status: DeletionState;
  status_message: string;
  /** Counted from 1; each retry is a new one. */
  attempt: number;
  /** What was removed so far. */
  counts: ErasureCountsOut;
  steps: DeletionStepOut[];
  requested_by: string | null;
  created_at: string;
  updated_at: string;
  started_at: string | null;
  finished_at: string | null;
}

export interface DeletionOut extends DeletionSummaryOut {
  /** The newest 5,000 lines, oldest first. */
  log: DeletionLogLineOut[];
  /** The signed proof, once it is done; its key is among `GET /.well-known/visionops-certificate-keys`. */
  certificate: Record<string, unknown> | null;
}

export interface DeletionList {
  items: DeletionSummaryOut[];
  total: number;
}
