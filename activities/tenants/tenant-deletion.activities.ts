import type { DeletionStepKey } from '../../models/tenants/deletion-steps.types.js';
import type { DeletionRef } from '../../models/tenants/deletion.types.js';

export interface TenantDeletionActivities {
  /** Keys of the steps that are left, in order; null when this attempt has nothing to do any more. Idempotent. */
  beginTenantDeletion(ref: DeletionRef): Promise<DeletionStepKey[] | null>;
  /** Runs one step; one that is done is left alone. Goes on where a crash stopped it. */
  runTenantDeletionStep(ref: DeletionRef, key: DeletionStepKey): Promise<void>;
  /** Signs the certificate: the last word of a deletion that went well. Idempotent. */
  completeTenantDeletion(ref: DeletionRef): Promise<void>;
  /** The last word of one that did not. Idempotent. */
  failTenantDeletion(ref: DeletionRef, reason: string): Promise<void>;
}
