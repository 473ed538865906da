import { AppError, notFound } from '../../core/errors/app-error.js';
import { isUuid } from '../../core/security/ids.js';
import { findUserById, type UserRow } from '../../models/accounts/account.platform.js';
import { requireEmailAddress } from '../../models/accounts/email-address.js';
import { passwordProblem } from '../../models/accounts/password.rules.js';
import { acceptInvitations } from '../../models/accounts/invitation.platform.js';
import { deleteUser, updateUser } from '../../models/accounts/user-admin.platform.js';
import type { Actor } from '../../models/audit/audit.types.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { PasswordHasher } from '../auth/password-hasher.js';
import type { SessionCache } from '../auth/session-cache.js';
import type { UserUpdate } from './accounts.schemas.js';

/** Accounts in the hands of global administrators, by the routes of FastAPI-Users. */
export class UserAdminService {
  constructor(
    private readonly db: Database,
    private readonly hasher: PasswordHasher,
    private readonly cache: SessionCache,
  ) {}

  /** @throws AppError not_found for an unknown id and for a text that is no id */
  async read(id: string): Promise<UserRow> {
    const user = isUuid(id) ? await this.db.inAuth((tx) => findUserById(tx, id)) : null;
    if (!user) throw notFound('User');
    return user;
  }

  async update(actor: Actor, id: string, body: UserUpdate): Promise<UserRow> {
    const before = await this.read(id);
    const email = typeof body.email === 'string' ? requireEmailAddress(body.email) : undefined;
    const changes = {
      email,
      passwordHash: await this.hashOf(body.password ?? undefined, email ?? before.email),
      isActive: body.is_active ?? undefined,
      isSuperuser: body.is_superuser ?? undefined,
      isVerified: body.is_verified ?? undefined,
      fullName: body.full_name,
      phone: body.phone,
    };
    const user = await this.db.inPlatform(async (tx) => {
      // Before the change: a password that the administrator gives stays.
      if (changes.isVerified === true && !before.isVerified) {
        const owner = { id: before.id, email: email ?? before.email };
        await acceptInvitations(tx, actor, owner, this.hasher.unmatched());
      }
      return updateUser(tx, actor, before.id, changes);
    });
    this.cache.drop({ userId: before.id });
    return user;
  }

  async delete(actor: Actor, id: string): Promise<void> {
    const user = await this.read(id);
    await this.db.inPlatform((tx) => deleteUser(tx, actor, user.id));
    this.cache.drop({ userId: user.id });
  }

  private async hashOf(password: string | undefined, email: string): Promise<string | undefined> {
    if (password === undefined) return undefined;
    const problem = passwordProblem(password, email);
    if (problem !== null)
      throw new AppError('bad_request', problem, { code: 'UPDATE_USER_INVALID_PASSWORD', reason: problem });
    return this.hasher.hash(password, 'known');
  }
}
