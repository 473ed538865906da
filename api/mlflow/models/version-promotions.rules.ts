import { AppError, badRequest } from '../../../core/errors/app-error.js';
import { WAITS_FOR_PERSON } from '../../../models/registry/promotion/left-to-people.rules.js';
import type { PromotionRow } from '../../../models/registry/promotion/promotion.types.js';

type AskedPromotion = Pick<PromotionRow, 'id' | 'modelName' | 'version' | 'status' | 'statusMessage'>;

const RETRY_AFTER_S = 5;

/** Clients repeat every call that is answered 429; after 503 those from 3.18 on repeat few that change something. */
const toBeRepeated = (message: string): AppError =>
  new AppError('too_many_requests', message, null, { retryAfterS: RETRY_AFTER_S });

/** @throws AppError bad_request where it failed or waits for a second person; too_many_requests while it is under way */
export function assertApplied({ id, modelName, version, status, statusMessage }: AskedPromotion): void {
  const named = `Promotion ${id} of ${modelName} ${version}`;
  switch (status) {
    case 'APPLIED':
    case 'ROLLED_BACK':
      return;
    case 'PENDING_CHECKS':
    case 'APPROVED':
      throw toBeRepeated(`${named} is under way: ${statusMessage} Repeat the call to wait for it.`);
    case 'WAITING_APPROVAL':
      throw badRequest(`${named} ${WAITS_FOR_PERSON}`);
    case 'FAILED':
    case 'REJECTED':
    case 'EXPIRED':
      throw badRequest(`${named} is ${status}: ${statusMessage}`);
  }
}
