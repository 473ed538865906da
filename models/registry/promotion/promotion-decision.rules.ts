import { conflict, forbidden } from '../../../core/errors/app-error.js';
import type { Decision } from './promotion.types.js';

/** @throws AppError forbidden for whoever asked for it, who may still reject it; conflict when it is too late */
export function assertDecidable(
  promotion: {
    readonly status: string;
    readonly createdBy?: string | null;
    readonly decision?: string | null;
    readonly expiresAt?: Date | null;
  },
  decision: Decision,
  actorId: string | null,
  now: Date,
): void {
  if (decision === 'approve' && promotion.createdBy === actorId)
    throw forbidden('A second person must approve it: you requested this promotion yourself.');
  if (promotion.status !== 'WAITING_APPROVAL')
    throw conflict(`The promotion is ${promotion.status}; it can be decided while it is WAITING_APPROVAL.`, {
      status: promotion.status,
    });
  if (promotion.decision) throw conflict('Somebody has decided it a moment ago.');
  if (promotion.expiresAt && promotion.expiresAt <= now)
    throw conflict('The time for its approval is over; request it again.');
}
