import type { Settings } from '../../core/config/settings.js';
import { AppError, notFound } from '../../core/errors/app-error.js';
import { type Page, type StdParams, toListQuery, toPage } from '../../core/paging/page.js';
import {
  grantGlobalAdmin,
  grantRole,
  revokeGlobalAdmin,
  revokeRole,
} from '../../models/accounts/membership-changes.platform.js';
import { findUserByEmail } from '../../models/accounts/account.platform.js';
import {
  type InvitedAddress,
  invitationMail,
  inviteAddress,
} from '../../models/accounts/invitation.platform.js';
import { requireEmailAddress } from '../../models/accounts/email-address.js';
import { passwordProblem } from '../../models/accounts/password.rules.js';
import type { Role } from '../../models/access/permission.rules.js';
import {
  createMember,
  deleteUser,
  inviteUser,
  updateUser,
} from '../../models/accounts/user-admin.platform.js';
import {
  findUserWithRoles,
  listUsers,
  USER_SORT_KEYS,
  type UserWithRoles,
} from '../../models/accounts/user-list.platform.js';
import type { Actor } from '../../models/audit/audit.types.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { dispatch } from '../../models/outbox/dispatch.js';
import { sealMail } from '../../models/outbox/sealed-mail.js';
import type { PlatformTransaction } from '../../models/orm/transaction.js';
import type { PasswordHasher } from '../auth/password-hasher.js';
import type { SessionCache } from '../auth/session-cache.js';

interface InvitedPerson {
  readonly email: string;
  readonly tenantCode: string;
  readonly role: Role;
}

type Invited =
  | { readonly user: UserWithRoles; readonly invited: null }
  | { readonly user: null; readonly invited: InvitedAddress };

/** Administration of people by global administrators. Every change answers the account with all its roles. */
export class SystemUsersService {
  constructor(
    private readonly db: Database,
    private readonly hasher: PasswordHasher,
    private readonly cache: SessionCache,
    private readonly settings: Settings,
  ) {}

  async list(params: StdParams, tenantCode: string | null): Promise<Page<UserWithRoles>> {
    const query = toListQuery(params, USER_SORT_KEYS);
    const { items, total } = await this.db.inAuth((tx) => listUsers(tx, query, tenantCode));
    return toPage(query, items, total);
  }

  /** @returns the account that has the role now or, where registration takes an invitation, the address that was invited */
  async invite(actor: Actor, given: InvitedPerson): Promise<Invited> {
    const wanted = { ...given, email: requireEmailAddress(given.email) };
    const invited = await this.inviteNewcomer(actor, wanted);
    if (invited !== null) return { user: null, invited };
    const { email, tenantCode, role } = wanted;
    return {
      user: await this.change((tx) => inviteUser(tx, actor, email, tenantCode, role)),
      invited: null,
    };
  }

  /** @returns null where nobody is invited, and for an account that is its owner's or has a role in the tenant already */
  private async inviteNewcomer(actor: Actor, wanted: InvitedPerson): Promise<InvitedAddress | null> {
    const { SERVICE_REGISTRATION: registration, SERVICE_SECRET_KEYS: keys, SERVICE_BASE_URL } = this.settings;
    if (registration !== 'invite') return null;
    return this.db.inPlatform(async (tx) => {
      if (await isKnownMember(tx, wanted)) return null;
      const invited = await inviteAddress(tx, actor, wanted, new Date());
      const mail = sealMail(keys, invitationMail(invited, SERVICE_BASE_URL), invited.expiresAt);
      await dispatch(tx, { kind: 'mail', tenantId: invited.tenantId, mail });
      return invited;
    });
  }

  async create(
    actor: Actor,
    wanted: { email: string; password: string; tenantCode: string; role: Role },
  ): Promise<UserWithRoles> {
    const email = requireEmailAddress(wanted.email);
    const problem = passwordProblem(wanted.password, email);
    if (problem !== null)
      throw new AppError('bad_request', problem, { code: 'REGISTER_INVALID_PASSWORD', reason: problem });
    const passwordHash = await this.hasher.hash(wanted.password, 'known');
    return this.change((tx) => createMember(tx, actor, { ...wanted, email, passwordHash }));
  }

  assignRole(actor: Actor, userId: string, tenantCode: string, role: Role): Promise<UserWithRoles> {
    return this.changeOf(userId, (tx) => grantRole(tx, actor, userId, tenantCode, role));
  }

  removeRole(actor: Actor, userId: string, tenantCode: string): Promise<UserWithRoles> {
    return this.changeOf(userId, (tx) => revokeRole(tx, actor, userId, tenantCode));
  }

  grantGlobalAdmin(actor: Actor, userId: string): Promise<UserWithRoles> {
    return this.changeOf(userId, (tx) => grantGlobalAdmin(tx, actor, userId));
  }

  revokeGlobalAdmin(actor: Actor, userId: string): Promise<UserWithRoles> {
    return this.changeOf(userId, (tx) => revokeGlobalAdmin(tx, actor, userId));
  }

  setActive(actor: Actor, userId: string, isActive: boolean): Promise<UserWithRoles> {
    return this.changeOf(userId, (tx) => updateUser(tx, actor, userId, { isActive }));
  }

  async delete(actor: Actor, userId: string): Promise<void> {
    await this.db.inPlatform((tx) => deleteUser(tx, actor, userId));
    this.cache.drop({ userId });
  }

  private changeOf(
    userId: string,
    work: (tx: PlatformTransaction) => Promise<unknown>,
  ): Promise<UserWithRoles> {
    return this.change(async (tx) => {
      await work(tx);
      return userId;
    });
  }

  /** Makes a change, reads the account in the same transaction and forgets what this process had cached of it. */
  private async change(work: (tx: PlatformTransaction) => Promise<string>): Promise<UserWithRoles> {
    const user = await this.db.inPlatform(async (tx) => findUserWithRoles(tx, await work(tx)));
    if (!user) throw notFound('User');
    this.cache.drop({ userId: user.id });
    return user;
  }
}

/** An address that nobody has verified may have been registered by anybody who knew it: its role waits. */
async function isKnownMember(
  tx: PlatformTransaction,
  { email, tenantCode }: InvitedPerson,
): Promise<boolean> {
  const user = await findUserByEmail(tx, email);
  if (!user || user.isVerified) return user !== null;
  const { roles } = (await findUserWithRoles(tx, user.id)) ?? { roles: [] };
  return roles.some((held) => held.tenantCode === tenantCode.toLowerCase());
}
