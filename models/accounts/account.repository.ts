import { asTenantId, asUserId } from '../../core/security/ids.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { announceAuthChange } from './auth-change.js';
import type { Role } from './permission.rules.js';
import type { Principal, TenantAccess } from './principal.types.js';

interface SessionRow {
  session_id: string;
  kind: 'cookie' | 'jwt';
  expires_at: Date | null;
  user_id: string;
  email: string;
  full_name: string | null;
  phone: string | null;
  is_active: boolean;
  is_verified: boolean;
  is_global_admin: boolean;
  tenants: Array<{ id: string; code: string; name: string; role: Role }>;
}

const SESSION_SQL = `
  select s.id as session_id, s.kind, s.expires_at, u.id as user_id, u.email, u.full_name, u.phone, u.is_active, u.is_verified,
    exists (select 1 from membership g where g.user_id = u.id and g.tenant_id is null) as is_global_admin,
    coalesce((select json_agg(json_build_object('id', t.id, 'code', t.code, 'name', t.name, 'role', m.role))
      from membership m join tenant t on t.id = m.tenant_id where m.user_id = u.id and t.is_active), '[]') as tenants
  from auth_session s join user_account u on u.id = s.user_id`;

/** @returns null when there is no such session or it has expired */
export async function findPrincipalByToken(tx: PlatformTransaction, tokenHash: string, now: Date): Promise<Principal | null> {
  return toPrincipal(await tx.query<SessionRow>(`${SESSION_SQL} where s.token_hash = $1`, [tokenHash]), now);
}

export async function findPrincipalBySession(tx: PlatformTransaction, sessionId: string, now: Date): Promise<Principal | null> {
  return toPrincipal(await tx.query<SessionRow>(`${SESSION_SQL} where s.id = $1`, [sessionId]), now);
}

function toPrincipal(rows: SessionRow[], now: Date): Principal | null {
  const row = rows[0];
  if (!row || (row.expires_at !== null && row.expires_at <= now)) return null;
  return {
    userId: asUserId(row.user_id),
    sessionId: row.session_id,
    sessionKind: row.kind,
    email: row.email,
    fullName: row.full_name,
    phone: row.phone,
    isActive: row.is_active,
    isVerified: row.is_verified,
    isGlobalAdmin: row.is_global_admin,
    expiresAt: row.expires_at,
    tenants: new Map(row.tenants.map((tenant) => [tenant.code, toAccess(tenant)])),
  };
}

const toAccess = (row: { id: string; code: string; name: string; role: Role }): TenantAccess => ({ tenantId: asTenantId(row.id), code: row.code, name: row.name, role: row.role });

/** The tenant a global administrator names; null when it does not exist or is switched off. */
export async function findActiveTenantAsAdmin(tx: PlatformTransaction, code: string): Promise<TenantAccess | null> {
  const rows = await tx.query<{ id: string; code: string; name: string }>('select id, code, name from tenant where code = $1 and is_active', [code]);
  return rows[0] ? toAccess({ ...rows[0], role: 'ADMIN' }) : null;
}

export interface UserRow {
  id: string;
  email: string;
  password_hash: string;
  full_name: string | null;
  phone: string | null;
  is_active: boolean;
  is_verified: boolean;
  is_global_admin: boolean;
  /** How often the address was changed; a mailed token of another number is none. */
  email_changes: number;
  /** How often `is_verified` was changed. */
  verification_changes: number;
}

const USER_SQL = `select u.id, u.email, u.password_hash, u.full_name, u.phone, u.is_active, u.is_verified, u.email_changes, u.verification_changes,
  exists (select 1 from membership g where g.user_id = u.id and g.tenant_id is null) as is_global_admin from user_account u`;

export async function findUserByEmail(tx: PlatformTransaction, email: string): Promise<UserRow | null> {
  return (await tx.query<UserRow>(`${USER_SQL} where lower(u.email) = lower($1)`, [email]))[0] ?? null;
}

export async function findUserById(tx: PlatformTransaction, id: string): Promise<UserRow | null> {
  return (await tx.query<UserRow>(`${USER_SQL} where u.id = $1`, [id]))[0] ?? null;
}

/** A stronger hash of the same password, unless it was changed meanwhile. @returns whether it was stored */
export async function replaceHash(tx: PlatformTransaction, id: string, before: string, after: string): Promise<boolean> {
  return (await tx.execute('update user_account set password_hash = $3 where id = $1 and password_hash = $2', [id, before, after])) > 0;
}

/** Locks the account until the transaction ends, so that two changes at once do not lose one. */
export async function lockUser(tx: PlatformTransaction, id: string): Promise<UserRow | null> {
  return (await tx.query<UserRow>(`${USER_SQL} where u.id = $1 for update of u`, [id]))[0] ?? null;
}

export interface NewSession {
  readonly userId: string;
  /** The hash that the password was compared with. */
  readonly passwordHash: string;
  readonly kind: 'cookie' | 'jwt';
  /** Null for JWT sessions: their id travels as `jti`. */
  readonly tokenHash: string | null;
  readonly expiresAt: Date | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** Of one account: as many as are open at once, the oldest make room. */
const MAX_SESSIONS = 200;

/**
 * Opens a session as long as the account is active and still has the password that was checked: a change in between
 * ends all sessions and must not be outlived by this one.
 * An account keeps its 200 newest sessions: without a lifetime none would end by itself.
 * @returns the session's id, or null
 */
export async function insertSession(tx: PlatformTransaction, session: NewSession): Promise<string | null> {
  const rows = await tx.query<{ id: string }>(
    `with account as (select id from user_account where id = $1 and is_active and password_hash = $7 for share)
     insert into auth_session (user_id, kind, token_hash, expires_at, ip, user_agent) select id, $2, $3, $4, $5, $6 from account returning id`,
    [session.userId, session.kind, session.tokenHash, session.expiresAt, session.ip, session.userAgent?.slice(0, 300) ?? null, session.passwordHash],
  );
  const [opened] = rows;
  if (!opened) return null;
  const dropped = await tx.query<{ id: string }>(
    `delete from auth_session where id in (select id from auth_session where user_id = $1 order by created_at desc, id offset ${MAX_SESSIONS}) returning id`,
    [session.userId],
  );
  for (const { id } of dropped) await announceAuthChange(tx, { sessionId: id });
  return opened.id;
}

export interface SessionSummary {
  id: string;
  kind: 'cookie' | 'jwt';
  created_at: Date;
  expires_at: Date | null;
  ip: string | null;
  user_agent: string | null;
}

/** Sign-ins of one account that are still valid, newest first, with their number. */
export async function listSessions(tx: PlatformTransaction, userId: string, now: Date): Promise<{ items: SessionSummary[]; total: number }> {
  const rows = await tx.query<SessionSummary & { total: number }>(
    `select id, kind, created_at, expires_at, ip, user_agent, count(*) over () as total from auth_session
     where user_id = $1 and (expires_at is null or expires_at > $2) order by created_at desc, id limit ${MAX_SESSIONS}`,
    [userId, now],
  );
  return { items: rows, total: rows[0]?.total ?? 0 };
}

export async function deleteSession(tx: PlatformTransaction, sessionId: string): Promise<void> {
  await tx.execute('delete from auth_session where id = $1', [sessionId]);
}

/** @param except a session that stays, or null. @returns how many were ended */
export async function deleteSessionsOf(tx: PlatformTransaction, userId: string, except: string | null): Promise<number> {
  return tx.execute('delete from auth_session where user_id = $1 and ($2::uuid is null or id <> $2)', [userId, except]);
}
