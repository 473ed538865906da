import type { Settings } from '../../core/config/settings.js';
import { AppError, forbidden } from '../../core/errors/app-error.js';
import { hashToken, newToken } from '../../core/security/tokens.js';
import { createUser, setPassword, updateProfile } from '../../models/accounts/account-changes.platform.js';
import { deleteSession, insertSession, listSessions } from '../../models/accounts/auth-session.platform.js';
import {
  findUserByEmail,
  findUserById,
  lockUser,
  replaceHash,
  type UserRow,
} from '../../models/accounts/account.platform.js';
import type { SessionSummary } from '../../models/accounts/auth-session.types.js';
import { isInvited } from '../../models/accounts/invitation.platform.js';
import { requireEmailAddress } from '../../models/accounts/email-address.js';
import { endSessions } from '../../models/accounts/user-admin.platform.js';
import { announceAuthChange } from '../../models/access/auth-change.js';
import { recordSessionUses } from '../../models/accounts/auth-session.sql.js';
import { passwordProblem } from '../../models/accounts/password.rules.js';
import type { Principal } from '../../models/accounts/principal.types.js';
import type { Actor } from '../../models/audit/audit.types.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { AccessTokens } from '../auth/jwt.js';
import type { HashCaller, PasswordHasher } from '../auth/password-hasher.js';
import type { SessionCache } from '../auth/session-cache.js';
import type { ProfileUpdate, UserCreate } from './accounts.schemas.js';
import type { SignInThrottle } from './sign-in-throttle.platform.js';

const badCurrent = () =>
  new AppError('bad_request', 'The current password is not right.', 'CHANGE_PASSWORD_BAD_CURRENT');

/** One answer for an unknown, an inactive and a wrongly typed account. */
export const badCredentials = () =>
  new AppError('bad_request', 'E-mail address or password is not right.', 'LOGIN_BAD_CREDENTIALS');

export interface SignInOrigin {
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** Accounts and sign-in, status and detail codes as FastAPI-Users has them. */
export class AccountsService {
  constructor(
    private readonly db: Database,
    private readonly hasher: PasswordHasher,
    private readonly tokens: AccessTokens,
    private readonly cache: SessionCache,
    private readonly throttle: SignInThrottle,
    private readonly lifetimeS: number,
    private readonly registration: Settings['SERVICE_REGISTRATION'],
  ) {}

  /** @returns the account when the password fits and it is active, else null; takes as long either way */
  async verifyCredentials(email: string, password: string, caller: HashCaller): Promise<UserRow | null> {
    const user = await this.db.inAuth((tx) => findUserByEmail(tx, email));
    const matches = await this.hasher.matches(password, user?.passwordHash ?? null, caller);
    return user && matches && user.isActive ? this.withPresentHash(user, password) : null;
  }

  /** Hashes get stronger as their owners sign in; the password is the same one, so no session ends. */
  private async withPresentHash(user: UserRow, password: string): Promise<UserRow> {
    const next = await this.hasher.upgraded(password, user.passwordHash);
    if (next === null || !(await this.db.inAuth((tx) => replaceHash(tx, user.id, user.passwordHash, next))))
      return user;
    return { ...user, passwordHash: next };
  }

  /** @returns the token to hand to the client; only its hash is stored */
  async openCookieSession(user: UserRow, origin: SignInOrigin): Promise<string> {
    const token = newToken();
    await this.openSession(user, 'cookie', hashToken(token), origin);
    return token;
  }

  async openJwtSession(user: UserRow, origin: SignInOrigin): Promise<string> {
    const sessionId = await this.openSession(user, 'jwt', null, origin);
    return this.tokens.issue(user.id, sessionId, this.lifetimeS);
  }

  private async openSession(
    user: UserRow,
    kind: 'cookie' | 'jwt',
    tokenHash: string | null,
    origin: SignInOrigin,
  ): Promise<string> {
    const session = {
      userId: user.id,
      passwordHash: user.passwordHash,
      kind,
      tokenHash,
      expiresAt: this.expiry(),
      ...origin,
    };
    const id = await this.db.inAuth(async (tx) => {
      // What is newer than the rows say, so that no session in use makes room for this one.
      await recordSessionUses(tx, this.cache.usesOf(user.id));
      return insertSession(tx, session);
    });
    if (id === null) throw badCredentials();
    return id;
  }

  async endSession(principal: Principal): Promise<void> {
    await this.db.inAuth(async (tx) => {
      await deleteSession(tx, principal.sessionId);
      await announceAuthChange(tx, { sessionId: principal.sessionId });
    });
    this.cache.drop({ sessionId: principal.sessionId });
  }

  sessions(userId: string): Promise<{ items: SessionSummary[]; total: number }> {
    return this.db.inAuth((tx) => listSessions(tx, userId, new Date()));
  }

  async endOtherSessions(actor: Actor, principal: Principal): Promise<number> {
    const ended = await this.db.inAuth((tx) => endSessions(tx, actor, principal.userId, principal.sessionId));
    this.cache.drop({ userId: principal.userId });
    return ended;
  }

  async register(actor: Actor, body: UserCreate): Promise<UserRow> {
    const email = requireEmailAddress(body.email);
    await this.requireRegistration(email);
    const problem = passwordProblem(body.password, email);
    if (problem !== null)
      throw new AppError('bad_request', problem, { code: 'REGISTER_INVALID_PASSWORD', reason: problem });
    const passwordHash = await this.hasher.hash(body.password, 'unknown');
    return this.db.inAuth((tx) =>
      createUser(tx, actor, {
        email,
        passwordHash,
        fullName: body.full_name ?? null,
        phone: body.phone ?? null,
        isVerified: false,
      }),
    );
  }

  /** Before anything is said about the account: whoever has no invitation learns nothing else. @throws AppError forbidden */
  private async requireRegistration(email: string): Promise<void> {
    if (this.registration === 'open') return;
    if (this.registration === 'closed')
      throw forbidden('Nobody can register here: ask an administrator for an account.');
    if (!(await this.db.inAuth((tx) => isInvited(tx, email))))
      throw forbidden('This address has no invitation: ask an administrator for one.');
  }

  async updateProfile(actor: Actor, userId: string, body: ProfileUpdate): Promise<UserRow> {
    const user = await this.db.inAuth((tx) =>
      updateProfile(tx, actor, userId, { fullName: body.full_name, phone: body.phone }),
    );
    this.cache.drop({ userId });
    return user;
  }

  /** Guesses of the current password count like failed sign-ins: a stolen session must not find it out. */
  async changePassword(actor: Actor, userId: string, current: string, next: string): Promise<void> {
    const user = await this.db.inAuth((tx) => findUserById(tx, userId));
    await this.throttle.attempt(user?.email ?? userId, actor.ip ?? 'unknown', async (attempt) => {
      if (!(await this.hasher.matches(current, user?.passwordHash ?? null, 'known'))) throw badCurrent();
      await attempt.succeeded(userId);
    });
    const problem = passwordProblem(next, user?.email ?? '');
    if (problem !== null)
      throw new AppError('bad_request', problem, { code: 'UPDATE_USER_INVALID_PASSWORD', reason: problem });
    const passwordHash = await this.hasher.hash(next, 'known');
    await this.db.inAuth(async (tx) => {
      // Asked again under the lock: a password that was set meanwhile, by an administrator or a reset, is the current one.
      if ((await lockUser(tx, userId))?.passwordHash !== user?.passwordHash) throw badCurrent();
      await setPassword(tx, actor, userId, passwordHash);
    });
    this.cache.drop({ userId });
  }

  private expiry(): Date | null {
    return this.lifetimeS > 0 ? new Date(Date.now() + this.lifetimeS * 1000) : null;
  }
}
