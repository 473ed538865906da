import { messages } from '../notifications/messages.rules.js';
import { notify } from '../notifications/notify.commands.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import type { DeletionRow } from './deletion.types.js';

/** Tells the global administrators, in the change's own transaction. */
export const tellOfDeletion = (
  tx: PlatformTransaction,
  { deletionId, tenantId, tenantCode }: Pick<DeletionRow, 'deletionId' | 'tenantId' | 'tenantCode'>,
  state: 'started' | 'done' | 'failed',
  detail: string,
): Promise<void> => notify(tx, null, messages.tenantDeletion({ id: tenantId, name: tenantCode, code: tenantCode, deletionId }, state, detail));
