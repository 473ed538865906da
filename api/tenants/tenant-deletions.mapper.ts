import type { DeletionDetail } from '../../models/tenants/deletion.platform.js';
import { DELETION_STEP_TITLES } from '../../models/tenants/deletion-steps.types.js';
import type { DeletionRow, DeletionStepRow, ErasureCounts } from '../../models/tenants/deletion.types.js';
import { mergeCounts, summarize, tablesOf } from '../../models/tenants/erasure-counts.rules.js';
import type {
  DeletionOut,
  DeletionPreviewOut,
  DeletionStepOut,
  DeletionSummaryOut,
} from './tenant-deletions.schemas.js';

const instant = (date: Date | null): string | null => date?.toISOString() ?? null;

const toStepOut = (step: DeletionStepRow): DeletionStepOut => ({
  key: step.key,
  title: DELETION_STEP_TITLES[step.key],
  status: step.status,
  message: step.message,
  counts: { ...step.counts },
  runs: step.runs,
  started_at: instant(step.startedAt),
  finished_at: instant(step.finishedAt),
});

export const toDeletionSummary = (
  deletion: DeletionRow,
  steps: readonly DeletionStepRow[],
): DeletionSummaryOut => ({
  id: deletion.deletionId,
  tenant_id: deletion.tenantId,
  tenant_code: deletion.tenantCode,
  status: deletion.status,
  status_message: deletion.statusMessage,
  attempt: deletion.attempt,
  counts: summarize(mergeCounts(steps.map((step) => step.counts))),
  steps: steps.map(toStepOut),
  requested_by: deletion.askedByEmail,
  created_at: deletion.createdAt.toISOString(),
  updated_at: deletion.updatedAt.toISOString(),
  started_at: instant(deletion.startedAt),
  finished_at: instant(deletion.finishedAt),
});

export const toDeletionOut = ({ deletion, steps, log }: DeletionDetail): DeletionOut => ({
  ...toDeletionSummary(deletion, steps),
  log: log.map((line) => ({ at: line.at.toISOString(), step: line.step, message: line.message })),
  certificate: deletion.certificate === null ? null : { ...deletion.certificate },
});

export const toPreviewOut = (
  tenant: { readonly id: string; readonly code: string },
  counts: ErasureCounts,
): DeletionPreviewOut => ({
  tenant_id: tenant.id,
  tenant_code: tenant.code,
  confirm_code: tenant.code,
  counts: summarize(counts),
  tables: tablesOf(counts),
});
