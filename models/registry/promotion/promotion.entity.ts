import { defineEntity, p } from '@mikro-orm/core';
import type { Stage } from '../model.types.js';
import type { Decision, PromotionCheck, PromotionStatus, RollbackCondition } from './promotion.types.js';

export const PromotionSchema = defineEntity({
  name: 'Promotion',
  tableName: 'promotion',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    modelId: p.uuid(),
    version: p.integer(),
    reason: p.text(),
    scope: p.text().nullable(),
    rollbackConditions: p.json<readonly RollbackCondition[]>().defaultRaw(`'[]'`),
    status: p.text().$type<PromotionStatus>().default('PENDING_CHECKS'),
    statusMessage: p.text().default(''),
    checks: p.json<readonly PromotionCheck[]>().defaultRaw(`'[]'`),
    requiresApproval: p.boolean().default(false),
    /** Until then it may be approved; null unless it waits for that or has. */
    expiresAt: p.datetime().nullable(),
    /** What somebody decided; the workflow moves the status accordingly. */
    decision: p.text().$type<Decision>().nullable(),
    decidedBy: p.uuid().nullable(),
    decidedByName: p.text().nullable(),
    decisionComment: p.text().nullable(),
    decidedAt: p.datetime().nullable(),
    /** Where the version stood before it was applied; null until then. */
    fromStage: p.text().$type<Stage>().nullable(),
    /** In Production before it was applied; null: none was, or it is not applied. */
    previousVersion: p.integer().nullable(),
    /** Its rollback conditions are being looked at. */
    isWatched: p.boolean().default(false),
    /** When they were looked at last. */
    lookedAt: p.datetime().nullable(),
    /** Since when without a gap; null: since it was applied. */
    watchedSince: p.datetime().nullable(),
    /** Counts the workflows: part of their ids. */
    attempt: p.integer().default(1),
    requestedByName: p.text().nullable(),
    createdBy: p.uuid().nullable(),
    appliedAt: p.datetime().nullable(),
    finishedAt: p.datetime().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** Somebody's request to put a version into Production, and how far it is. */
export class Promotion extends PromotionSchema.class {}
PromotionSchema.setClass(Promotion);
