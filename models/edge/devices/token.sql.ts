import type { Transaction } from '../../orm/transaction.js';
import type { NewToken } from './token.commands.js';

/** A device's token of whose end people should hear. */
export interface ExpiringDeviceToken {
  readonly tenantId: string;
  /** The id people use. */
  readonly deviceKey: string;
  readonly expiresAt: Date;
}

/** Marks tokens that end before a moment and that nobody was notified of yet, and answers them; at most `limit`. */
export const claimExpiringDeviceTokens = (
  tx: Transaction,
  now: Date,
  before: Date,
  limit: number,
): Promise<ExpiringDeviceToken[]> =>
  tx.rows<ExpiringDeviceToken>(
    `-- bulk: up to a batch at once
     update edge_token k set expiry_told_at = $1 from edge_device d
     where d.tenant_id = k.tenant_id and d.id = k.device_id and k.id in (
       select id from edge_token
       where expires_at > $1 and expires_at <= $2 and expiry_told_at is null and revoked_at is null
       order by expires_at limit $3 for update skip locked)
     returning k.tenant_id, d.key as device_key, k.expires_at`,
    [now, before, limit],
  );

/** Only while it is still stored by that hash: a rotation may have come first. */
export const replaceTokenHash = (tx: Transaction, from: string, to: NewToken): Promise<number> =>
  tx.execute(
    `-- set: by the hash alone, whosever token it is
     update edge_token set token_hash = $2, key_id = $3, updated_at = now() where token_hash = $1`,
    [from, to.tokenHash, to.keyId],
  );
