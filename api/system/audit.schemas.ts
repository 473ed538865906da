import type { InstantText, PageNumber, PageSize, SearchText } from '../http/routing/parameters.js';

export interface AuditQuery {
  /** Beginning of the action, such as `dataset.` */
  action?: SearchText;
  /** Code of a tenant. */
  tenant?: SearchText;
  /** From this moment on, inclusive. */
  since?: InstantText;
  /** Up to this moment, inclusive. */
  until?: InstantText;
  /** Part of the e-mail address or name of who did it. */
  actor?: SearchText;
  /** Part of the target's id or label (for people the e-mail address). */
  target?: SearchText;
  /** `csv` answers all matching entries as an attachment and ignores the page. */
  format?: 'json' | 'csv';
  /** Beyond the first 10,000 matches the list goes on with `after`. */
  page?: PageNumber;
  page_size?: PageSize;
  /** `next` of the page before; without `page`. */
  after?: SearchText;
}

export interface AuditActorOut {
  /** Null for the platform itself. */
  id: string | null;
  email: string | null;
  full_name: string | null;
}

export interface AuditTargetOut {
  kind: string;
  id: string;
  label: string | null;
}

/** What was done, by whom, to what. Entries are never changed: `created_at` and `updated_at` equal `at`. */
export interface AuditEntryOut {
  id: string;
  at: string;
  actor: AuditActorOut;
  action: string;
  /** Null for changes of the platform itself, and once the tenant is erased. */
  tenant_code: string | null;
  target: AuditTargetOut;
  outcome: 'success' | 'denied' | 'failed';
  ip: string | null;
  error_id: string | null;
  detail: Record<string, unknown>;
  created_at: string;
  updated_at: string;
}

export interface AuditPage {
  items: AuditEntryOut[];
  /** Exact up to 10,000. */
  total: number;
  /** True: there are more matches than `total`. */
  total_capped: boolean;
  /** `after` of the page that follows; null: this is the last. */
  next: string | null;
  page: number;
  page_size: number;
}

export interface AuditActionList {
  items: string[];
  total: number;
}
