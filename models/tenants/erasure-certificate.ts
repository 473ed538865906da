import type { DeletionRow, DeletionStepRow } from './deletion.types.js';
import { mergeCounts, summarize } from './erasure-counts.rules.js';

/**
 * What is signed: who was erased, on whose order, what was removed, and what was searched for residue.
 * Without names of people's things.
 */
export const erasureCertificate = (
  deletion: DeletionRow,
  steps: readonly DeletionStepRow[],
  auditSeals: { count: number; last: string | null },
  now: Date,
) => ({
  type: 'visionops.certificate-of-erasure',
  version: 1,
  deletion_id: deletion.deletionId,
  tenant: { id: deletion.tenantId, code: deletion.tenantCode },
  requested_at: deletion.createdAt.toISOString(),
  requested_by: deletion.askedBy,
  completed_at: now.toISOString(),
  removed: summarize(mergeCounts(steps.map((step) => step.counts))),
  steps: steps.map((step) => ({
    step: step.key,
    finished_at: step.finishedAt?.toISOString() ?? null,
    counts: step.counts,
  })),
  searched: [
    'database',
    'object store',
    'image registry',
    'orchestrator',
    'workflow histories',
    'mail directory',
  ],
  residue: 0,
  // The entries are gone; the seals that stay prove how many there were and in which order.
  audit_seals: auditSeals,
});
