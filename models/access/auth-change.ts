import { notifyAtCommit } from '../orm/notify.js';
import type { Transaction } from '../orm/transaction.js';

export const AUTH_CHANNEL = 'visionops_auth';

/** What a change of accounts makes stale in every process's cache of signed-in people. */
export interface AuthChange {
  readonly userId?: string;
  readonly sessionId?: string;
  readonly tenantId?: string;
  /** A token for the tracker or the registry. */
  readonly tokenId?: string;
  /** A device: its token, its scopes, its block, or that it is gone. */
  readonly deviceId?: string;
}

/** Notifies every API process at commit; each drops the matching sessions and closes their streams. */
export async function announceAuthChange(tx: Transaction, change: AuthChange): Promise<void> {
  await notifyAtCommit(tx, AUTH_CHANNEL, JSON.stringify(change));
}
