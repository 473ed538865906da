import { sql } from 'kysely';
import { notFound } from '../../core/errors/app-error.js';
import type { Mail } from '../../core/ports/mailer.js';
import type { Role } from '../access/permission.rules.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import type { AuthTransaction, PlatformTransaction } from '../orm/transaction.js';
import { findTenantByCode } from '../tenants/tenant.platform.js';
import { folded } from './folded-address.js';
import { Invitation } from './invitation.entity.js';
import { removeInvitations } from './invitation.sql.js';
import { grantRole } from './membership-changes.platform.js';

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
  await withdrawInvitation(tx, email, tenant.code);
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
  text: `You are invited to VisionOps at ${baseUrl}, to the tenant ${invited.tenantCode} as ${invited.role}.\n\nRegister with this address within ${VALID_DAYS} days (POST /auth/register) and confirm the address: you then have the role.\n`,
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

/** Takes back the invitation of an address to a tenant, if there is one. */
export async function withdrawInvitation(
  tx: PlatformTransaction,
  email: string,
  tenantCode: string,
): Promise<void> {
  const rows = await openInvitations(tx, email)
    .where('t.code', '=', sql<string>`lower(${tenantCode})`)
    .execute();
  await removeInvitations(tx, rows.map(idOf));
}

/** The address is its owner's: gives the roles that it was invited to. */
export async function acceptInvitations(
  tx: PlatformTransaction,
  actor: Actor,
  user: { readonly id: string; readonly email: string },
): Promise<void> {
  const rows = await openInvitations(tx, user.email).execute();
  for (const { code, role, isValid } of rows) if (isValid) await grantRole(tx, actor, user.id, code, role);
  await removeInvitations(tx, rows.map(idOf));
}

const idOf = ({ id }: { readonly id: string }): string => id;

/** Invitations to an address, without those of tenants that are being erased. */
const openInvitations = (tx: PlatformTransaction, email: string) =>
  tx.kysely
    .selectFrom('invitation as i')
    .innerJoin('tenant as t', 't.id', 'i.tenantId')
    .select(['i.id', 't.code', 'i.role', sql<boolean>`i.expires_at > now()`.as('isValid')])
    .where(folded(sql.ref('i.email')), '=', folded(email))
    .where('t.id', 'not in', (eb) => eb.selectFrom('tenant_deletion').select('erasedTenant'));
