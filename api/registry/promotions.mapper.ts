import type { PromotionRow } from '../../models/registry/promotion/promotion.types.js';
import type { PromotionOut } from './promotions.schemas.js';

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

export const toPromotionOut = (row: PromotionRow): PromotionOut => ({
  id: row.id,
  model_name: row.modelName,
  to_version: row.version,
  previous_version: row.previousVersion,
  reason: row.reason,
  scope: row.scope,
  status: row.status,
  status_message: row.statusMessage,
  checks: row.checks.map((check) => ({ ...check })),
  requires_approval: row.requiresApproval,
  expires_at: iso(row.expiresAt),
  decision:
    row.decision === null || row.decidedAt === null
      ? null
      : {
          decision: row.decision,
          comment: row.decisionComment,
          decided_by: row.decidedBy,
          decided_by_name: row.decidedByName,
          decided_at: row.decidedAt.toISOString(),
        },
  rollback_conditions: row.rollbackConditions.map((condition) => ({ ...condition })),
  watched: row.isWatched,
  applied_at: iso(row.appliedAt),
  finished_at: iso(row.finishedAt),
  requested_by_name: row.requestedByName,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  created_by: row.createdBy,
});
