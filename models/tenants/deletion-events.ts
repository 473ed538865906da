import type { StreamEvent } from '../../core/events/stream-event.js';
import type { DeletionStepKey } from './deletion-steps.types.js';
import type { DeletionStatus, DeletionStepStatus } from './deletion.types.js';

const event = (deletionId: string, name: string, data: Readonly<Record<string, unknown>>): StreamEvent => ({
  stream: 'tenant-deletions',
  tenantId: null,
  id: deletionId,
  event: name,
  data,
});

export const deletionEvent = (deletionId: string, status: DeletionStatus): StreamEvent =>
  event(deletionId, 'deletion', { status });

export const deletionStepEvent = (
  deletionId: string,
  step: DeletionStepKey,
  status: DeletionStepStatus,
  message: string,
): StreamEvent => event(deletionId, 'step', { step, status, message });
