import type { LineText, PageNumber, PageSize } from '../http/routing/parameters.js';
import type { VersionNumber } from './models.schemas.js';

/**
 * Plain text of one or several lines.
 * @minLength 1
 * @maxLength 2000
 * @pattern ^(?:[^\u0000\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff])+$ must be text without NUL
 */
export type ReasonText = string;

/**
 * While it holds, the promotion is rolled back by itself. The metric is taken over the last span of `for`, once the version
 * has been in Production for that long: `latency_p50_ms`, `latency_p95_ms`, `confidence_mean`, `accuracy` and `drift_psi`
 * from at least 30 inference records (`accuracy`: of predictions since then, judged by feedback), `requests` from any number
 * once a device has had the version for the whole span, in which it was neither blocked nor changed. Records come from devices;
 * what an endpoint answers leaves none. Every other name is that of a smoke KPI of an endpoint which serves the version. A
 * metric that is not known holds nothing.
 */
export interface RollbackConditionBody {
  /**
   * Such as `accuracy` or `latency_p95_ms`.
   * @maxLength 128
   * @pattern ^[A-Za-z][A-Za-z0-9_./\-]{0,127}$ must be the name of a metric
   */
  metric: string;
  op: '<' | '<=' | '>' | '>=';
  value: number;
  /**
   * An integer with `m`, `h` or `d`.
   * @maxLength 6
   * @pattern ^[1-9][0-9]{0,4}[mhd]$ must be an integer with m, h or d
   */
  for: string;
}

export interface PromoteRequest {
  /** The version to become Production; must be that of the path. */
  to_version: VersionNumber;
  reason: ReasonText;
  /**
   * Watched for as long as the version is in Production by this promotion.
   * @maxItems 20
   */
  rollback_conditions?: RollbackConditionBody[] | null;
  /** What the promotion is meant for, such as a site or a fleet; for people. */
  scope?: LineText | null;
}

export interface PromotionDecisionBody {
  comment?: ReasonText | null;
}

export interface PromotionCheckOut {
  key: 'version' | 'artifact' | 'stage' | 'smoke_kpi';
  /** `skipped`: there was nothing to be checked. */
  result: 'passed' | 'failed' | 'skipped';
  message: string;
}

export interface PromotionDecisionOut {
  decision: 'approve' | 'reject';
  comment: string | null;
  decided_by: string | null;
  decided_by_name: string | null;
  decided_at: string;
}

export type PromotionStatusName =
  | 'PENDING_CHECKS'
  | 'WAITING_APPROVAL'
  | 'APPROVED'
  | 'REJECTED'
  | 'EXPIRED'
  | 'APPLIED'
  | 'FAILED'
  | 'ROLLED_BACK';

export interface RollbackConditionOut {
  metric: string;
  op: '<' | '<=' | '>' | '>=';
  value: number;
  for: string;
}

export interface PromotionOut {
  id: string;
  model_name: string;
  to_version: number;
  /** The version that was in Production before; null: none was, or it is not applied. */
  previous_version: number | null;
  reason: string;
  scope: string | null;
  status: PromotionStatusName;
  status_message: string;
  /** Empty until they have run. */
  checks: PromotionCheckOut[];
  requires_approval: boolean;
  /** Until then it may be approved; null where nobody has to. */
  expires_at: string | null;
  /** What a second person decided; null until then. */
  decision: PromotionDecisionOut | null;
  rollback_conditions: RollbackConditionOut[];
  /** Its rollback conditions are being looked at. */
  watched: boolean;
  applied_at: string | null;
  finished_at: string | null;
  requested_by_name: string | null;
  created_at: string;
  updated_at: string;
  created_by: string | null;
}

export interface PromotionPage {
  items: PromotionOut[];
  total: number;
  page: number;
  page_size: number;
}

export interface PromotionQuery {
  status?: PromotionStatusName;
  page?: PageNumber;
  page_size?: PageSize;
}
