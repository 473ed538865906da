import { describe, expect, it } from '@jest/globals';
import { assertApplied } from '../../../../api/mlflow/models/version-promotions.rules.js';
import type { AppError } from '../../../../core/errors/app-error.js';
import { PROMOTION_STATUSES } from '../../../../models/registry/promotion/promotion.types.js';

describe('what a client hears of the promotion that it asked for', () => {
  const answers = PROMOTION_STATUSES.map((status) => {
    try {
      assertApplied({ id: 'p1', modelName: 'digits', version: 2, status, statusMessage: 'Checks run.' });
      return [status, 'done'];
    } catch (error) {
      return [status, (error as AppError).code];
    }
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
