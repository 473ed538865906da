import { describe, expect, it } from '@jest/globals';
import { assertApplied } from '../../../../api/mlflow/models/version-promotions.rules.js';
import type { AppError } from '../../../../core/errors/app-error.js';
import { isLeftToPeople } from '../../../../models/registry/promotion/left-to-people.rules.js';
import {
  PROMOTION_STATUSES,
  type PromotionStatus,
} from '../../../../models/registry/promotion/promotion.types.js';

describe('what a client hears of the promotion that it asked for', () => {
  const refusalOf = (status: PromotionStatus): AppError | null => {
    try {
      assertApplied({ id: 'p1', modelName: 'digits', version: 2, status, statusMessage: 'Checks run.' });
      return null;
    } catch (error) {
      return error as AppError;
    }
  };
  const answers = PROMOTION_STATUSES.map((status) => [status, refusalOf(status)?.code ?? 'done']);

  it('says to an import what people decide, or have rejected', () => {
    const left = PROMOTION_STATUSES.filter((status) =>
      isLeftToPeople(`POST /stage: 400 ${refusalOf(status)?.message}`),
    );
    expect([...left].sort()).toEqual(['REJECTED', 'WAITING_APPROVAL']);
  });

  it('is a refusal that every client repeats while it is under way, and a final one afterwards', () => {
    expect(Object.fromEntries(answers)).toEqual({
      PENDING_CHECKS: 'too_many_requests',
      APPROVED: 'too_many_requests',
      WAITING_APPROVAL: 'bad_request',
      REJECTED: 'bad_request',
      EXPIRED: 'bad_request',
      FAILED: 'bad_request',
      APPLIED: 'done',
      ROLLED_BACK: 'done',
    });
  });
});
