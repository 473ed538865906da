import { asTenantId } from '../../core/security/ids.js';
import { MAX_PLAIN_LIST } from '../../core/paging/page.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import type { AccessTokenRow, ExpiringToken, TokenHolder, TokenKind } from './access-token.types.js';
import type { Role } from './permission.rules.js';

const COLUMNS = 'a.id, a.kind, t.code as tenant_code, a.name, a.read_only, a.created_at, a.expires_at, a.last_used_at';

/** A person's tokens by name, at most 1000, with their true number. Expired ones stay for a while, to be seen. */
export async function listAccessTokens(tx: PlatformTransaction, userId: string): Promise<{ items: AccessTokenRow[]; total: number }> {
  const rows = await tx.query<AccessTokenRow & { total: number }>(
    `select ${COLUMNS}, count(*) over () as total from access_token a join tenant t on t.id = a.tenant_id
     where a.user_id = $1 order by lower(a.name), a.created_at, a.id limit ${MAX_PLAIN_LIST}`,
    [userId],
  );
  return { items: rows, total: rows[0]?.total ?? 0 };
}

export async function findAccessToken(tx: PlatformTransaction, id: string): Promise<AccessTokenRow | null> {
  return (await tx.query<AccessTokenRow>(`select ${COLUMNS} from access_token a join tenant t on t.id = a.tenant_id where a.id = $1`, [id]))[0] ?? null;
}

interface HolderRow {
  token_id: string;
  kind: TokenKind;
  read_only: boolean;
  expires_at: Date;
  user_id: string;
  email: string;
  full_name: string | null;
  tenant_id: string;
  code: string;
  name: string;
  role: Role;
}

/**
 * Who a token stands for, and notes its use. Null for an unknown or expired one, a disabled account, a tenant that is
 * switched off, and where the person has no role in the tenant any more.
 * @param hashes of the secret, one for each server key
 */
export async function useAccessToken(tx: PlatformTransaction, kind: TokenKind, hashes: readonly string[], now: Date): Promise<TokenHolder | null> {
  const [row] = await tx.query<HolderRow>(
    `select a.id as token_id, a.kind, a.read_only, a.expires_at, u.id as user_id, u.email, u.full_name, t.id as tenant_id, t.code, t.name,
       case when exists (select 1 from membership g where g.user_id = u.id and g.tenant_id is null) then 'ADMIN' else m.role end as role
     from access_token a join user_account u on u.id = a.user_id join tenant t on t.id = a.tenant_id
       left join membership m on m.user_id = a.user_id and m.tenant_id = a.tenant_id
     where a.token_hash = any($1) and a.kind = $2 and a.expires_at > $3 and u.is_active and t.is_active`,
    [hashes, kind, now],
  );
  if (!row?.role) return null;
  await tx.execute("update access_token set last_used_at = $2 where id = $1 and (last_used_at is null or last_used_at < $2::timestamptz - interval '1 minute')", [
    row.token_id,
    now,
  ]);
  return {
    tokenId: row.token_id,
    kind: row.kind,
    isReadOnly: row.read_only,
    expiresAt: row.expires_at,
    userId: row.user_id,
    email: row.email,
    fullName: row.full_name,
    tenant: { tenantId: asTenantId(row.tenant_id), code: row.code, name: row.name, role: row.role },
  };
}

/** For good: a role or an account that comes back does not bring its tokens back. */
export async function deleteAccessTokensOf(tx: PlatformTransaction, userId: string): Promise<void> {
  await tx.execute('delete from access_token where user_id = $1', [userId]);
}

/** Removes the person's tokens of tenants in which no role is left. */
export async function deleteTokensWithoutRole(tx: PlatformTransaction, userId: string): Promise<void> {
  await tx.execute(
    `delete from access_token a where a.user_id = $1
       and not exists (select 1 from membership m where m.user_id = a.user_id and (m.tenant_id = a.tenant_id or m.tenant_id is null))`,
    [userId],
  );
}

/** Marks tokens that end before a moment and whose owners were not told yet, and answers them; at most `limit`. */
export function claimExpiringTokens(tx: PlatformTransaction, now: Date, before: Date, limit: number): Promise<ExpiringToken[]> {
  return tx.query<ExpiringToken>(
    `update access_token set expiry_told_at = $1 where id in
       (select id from access_token where expires_at > $1 and expires_at <= $2 and expiry_told_at is null order by expires_at limit $3 for update skip locked)
     returning id, tenant_id, user_id, kind, name, expires_at`,
    [now, before, limit],
  );
}
