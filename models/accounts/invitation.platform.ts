import { sql } from 'kysely';
import { notFound } from '../../core/errors/app-error.js';
import type { Mail } from '../../core/ports/mailer.js';
import type { Role } from '../access/permission.rules.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import type { AuthTransaction, PlatformTransaction } from '../orm/transaction.js';
import { findTenantByCode } from '../tenants/tenant.platform.js';
import { setPassword } from './account-changes.platform.js';
import { folded } from './folded-address.js';
import { Invitation } from './invitation.entity.js';
import { grantRole } from './membership-changes.platform.js';
import { pendingInvitations, withdrawInvitations } from './invitation.sql.js';
import { deleteAccessTokensOf } from './tokens/access-token.sql.js';
import { Membership } from './user.entity.js';

const DAY_MS = 86_400_000;
const VALID_DAYS = 14;

export interface InvitedAddress {
  readonly email: string;
  readonly tenantId: string;
  readonly tenantCode: string;
  readonly role: Role;
  readonly expiresAt: Date;
}

/** For 14 days; a new one replaces that of the same address and tenant. @throws AppError not_found for an unknown tenant */
export async function inviteAddress(
  tx: PlatformTransaction,
  actor: Actor,
  wanted: { readonly email: string; readonly tenantCode: string; readonly role: Role },
  now: Date,
): Promise<InvitedAddress> {
  const tenant = await findTenantByCode(tx, wanted.tenantCode);
  if (!tenant) throw notFound('Tenant');
  const { email, role } = wanted;
  const expiresAt = new Date(now.getTime() + VALID_DAYS * DAY_MS);
  await withdrawInvitations(tx, email, tenant.id);
  const made = tx.em.create(Invitation, { tenantId: tenant.id, email, role, expiresAt });
  await tx.em.flush();
  await audit(tx, tenant.id, actor, {
    action: 'user.invite',
    target: { kind: 'invitation', id: made.id, label: email },
    detail: { tenant_code: tenant.code, role },
  });
  return { email, tenantId: tenant.id, tenantCode: tenant.code, role, expiresAt };
}

export const invitationMail = (invited: InvitedAddress, baseUrl: string): Mail => ({
  to: invited.email,
  subject: 'You are invited to VisionOps',
  text: `You are invited to VisionOps at ${baseUrl}, to the tenant ${invited.tenantCode} as ${invited.role}.\n\nRegister with this address within ${VALID_DAYS} days (POST /auth/register), unless it has an account, and confirm the address: you then have the role, and a mail with which you set your password.\n`,
  kind: 'invitation',
  tenantIds: [invited.tenantId],
  token: null,
});

export async function isInvited(tx: AuthTransaction, email: string): Promise<boolean> {
  const found = tx.kysely
    .selectFrom('invitation')
    .select('expiresAt')
    .where(folded(sql.ref('email')), '=', folded(email))
    .where('expiresAt', '>', sql<Date>`now()`);
  return (await found.executeTakeFirst()) !== undefined;
}

/**
 * The address is its owner's: gives the roles that it was invited to, but none where the account has one already. Whoever
 * registered it had shown nothing, so that sign-ins, tokens and the password of before end with it.
 * @param noPassword a hash that no password has
 * @returns whether there were any: the owner then needs a new password
 */
export async function acceptInvitations(
  tx: PlatformTransaction,
  actor: Actor,
  user: { readonly id: string; readonly email: string },
  noPassword: string,
): Promise<boolean> {
  const held = await tx.em.find(Membership, { userId: user.id });
  const isHeld = (tenantId: string): boolean => held.some((one) => one.tenantId === tenantId);
  const pending = await pendingInvitations(tx, user.email);
  const accepted = pending.filter(({ isValid, tenantId }) => isValid && !isHeld(tenantId));
  await withdrawInvitations(tx, user.email, null);
  if (accepted.length === 0) return false;
  await deleteAccessTokensOf(tx, user.id);
  await setPassword(tx, actor, user.id, noPassword, 'user.password_reset');
  for (const { code, role } of accepted) await grantRole(tx, actor, user.id, code, role);
  return true;
}
