import type { TenantId } from '../../core/security/ids.js';
import type { RetentionClass } from '../tenants/retention-class.rules.js';

export interface NewTelemetry {
  readonly kind: string;
  /** Null: the time of receipt. */
  readonly ts: Date | null;
  /** JSON text of an object. */
  readonly data: string;
}

/** Records of one kind that a device sent at once. */
export interface RecordBatch<R> {
  readonly tenantId: TenantId;
  readonly device: number;
  /** Unique by device for 48 hours. */
  readonly key: string;
  readonly keptDays: RetentionClass;
  readonly records: readonly R[];
}

export type NewTelemetryBatch = RecordBatch<NewTelemetry>;

/** What the first batch of a key got, and every repeat of it gets. */
export interface WrittenBatch {
  readonly receivedAt: Date;
  readonly records: number;
  readonly isRepeat: boolean;
}
