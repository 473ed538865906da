import { randomUUID } from 'node:crypto';
import { AppError } from '../../core/errors/app-error.js';
import type { Mail } from '../../core/ports/mailer.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import { markVerified, setPassword } from '../../models/accounts/account-changes.platform.js';
import {
  findUserByEmail,
  findUserById,
  lockUser,
  type UserRow,
} from '../../models/accounts/account.platform.js';
import { mailAttempts, takeAttempts } from '../../models/accounts/sign-in/sign-in-history.platform.js';
import { RECIPIENT_LIMIT } from '../../models/accounts/sign-in/visitor-limits.rules.js';
import { requireEmailAddress } from '../../models/accounts/email-address.js';
import { foldAddress } from '../../models/accounts/folded-address.js';
import { acceptInvitations } from '../../models/accounts/invitation.platform.js';
import { rememberPlace } from '../../models/accounts/sign-in/sign-in-history.platform.js';
import { passwordProblem } from '../../models/accounts/password.rules.js';
import type { Actor } from '../../models/audit/audit.types.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { inSavepoint } from '../../models/orm/savepoint.js';
import type { AuthTransaction, PlatformTransaction } from '../../models/orm/transaction.js';
import { dispatch } from '../../models/outbox/dispatch.js';
import { sealMail } from '../../models/outbox/sealed-mail.js';
import {
  MAIL_TOKEN_LIFETIME_S,
  type MailTokens,
  resetFingerprint,
  type TokenHolderState,
  type VerifyClaims,
  verifyFingerprint,
} from '../auth/mail-tokens.js';
import type { PasswordHasher } from '../auth/password-hasher.js';
import type { SessionCache } from '../auth/session-cache.js';
import { placeOf } from '../http/routing/caller-network.js';

const MINUTES = MAIL_TOKEN_LIFETIME_S / 60;

const badResetToken = () =>
  new AppError(
    'bad_request',
    'This reset token is not valid, was used or is too old; ask for a new one.',
    'RESET_PASSWORD_BAD_TOKEN',
  );
const badVerifyToken = () =>
  new AppError(
    'bad_request',
    'This token is not valid, was used or is too old; ask for a new one.',
    'VERIFY_USER_BAD_TOKEN',
  );

/** Forgotten passwords and unverified addresses: tokens go out by mail, through the dispatch table. */
export class RecoveryService {
  constructor(
    private readonly db: Database,
    private readonly hasher: PasswordHasher,
    private readonly tokens: MailTokens,
    private readonly cache: SessionCache,
    private readonly keys: KeyRing,
    private readonly baseUrl: string,
  ) {}

  /** Alike for every address, also in time. */
  async requestReset(email: string): Promise<void> {
    await this.mailTo(
      requireEmailAddress(email),
      (user) => user.isActive,
      (user) =>
        this.passwordMail(user, {
          subject: 'Reset your VisionOps password',
          why: 'Somebody asked to reset the password of your VisionOps account.',
          otherwise: 'If it was not you, ignore this mail: nothing has changed.',
        }),
    );
  }

  /** Alike for every address, also in time. */
  async requestVerify(email: string): Promise<void> {
    await this.mailTo(
      requireEmailAddress(email),
      (user) => user.isActive && !user.isVerified,
      async (user) => {
        const token = await this.tokens.issueVerify(user);
        const text = `To confirm this address for your VisionOps account, open ${this.baseUrl}/console/verify within ${MINUTES} minutes and enter this token:\n\n${token}\n\nPrograms send it to POST /auth/verify.\n`;
        return {
          to: user.email,
          subject: 'Confirm your e-mail address for VisionOps',
          text,
          kind: 'verify-email',
          token,
        };
      },
    );
  }

  /** @throws AppError bad_request RESET_PASSWORD_BAD_TOKEN, RESET_PASSWORD_INVALID_PASSWORD */
  async reset(actor: Actor, token: string, password: string): Promise<void> {
    const claims = await this.tokens.readReset(token);
    const user = claims && (await this.db.inAuth((tx) => findUserById(tx, claims.userId)));
    if (!claims || !canReset(user, claims.fingerprint)) throw badResetToken();
    const problem = passwordProblem(password, user.email);
    if (problem !== null)
      throw new AppError('bad_request', problem, {
        code: 'RESET_PASSWORD_INVALID_PASSWORD',
        reason: problem,
      });
    const passwordHash = await this.hasher.hash(password, 'known');
    await this.db.inAuth(async (tx) => {
      // Asked again under the lock: of two uses at once only one finds the old password.
      if (!canReset(await lockUser(tx, user.id), claims.fingerprint)) throw badResetToken();
      await setPassword(tx, actingAs(actor, user), user.id, passwordHash, 'user.password_reset');
      if (actor.ip !== null) await rememberPlace(tx, user.id, placeOf(actor.ip));
    });
    this.cache.drop({ userId: user.id });
  }

  /** @throws AppError bad_request VERIFY_USER_BAD_TOKEN, VERIFY_USER_ALREADY_VERIFIED */
  async verify(actor: Actor, token: string): Promise<UserRow> {
    const claims = await this.tokens.readVerify(token);
    if (!claims) throw badVerifyToken();
    // A role may come with an invitation, whoever may register by now; that takes more than signing in does.
    const user = await this.db.inPlatform(async (tx) => {
      const verified = await verifyAddress(tx, actor, claims);
      const noPassword = this.hasher.unmatched();
      if (await acceptInvitations(tx, actingAs(actor, verified), verified, noPassword))
        await this.askForPassword(tx, { ...verified, passwordHash: noPassword });
      return verified;
    });
    this.cache.drop({ userId: user.id });
    return user;
  }

  private async askForPassword(tx: PlatformTransaction, user: TokenHolderState): Promise<void> {
    const mail = await this.passwordMail(user, {
      subject: 'Set your VisionOps password',
      why: 'You confirmed this address and have the role that you were invited to. The password that the account was registered with has ended, since nobody had shown by then whose address it is.',
      otherwise: 'After that time ask for another one, as if the password were forgotten.',
    });
    await dispatch(tx, { kind: 'mail', tenantId: null, mail: this.sealed(mail) });
  }

  private async passwordMail(
    user: TokenHolderState,
    words: { readonly subject: string; readonly why: string; readonly otherwise: string },
  ): Promise<Mail> {
    const token = await this.tokens.issueReset(user);
    const text = `${words.why}\n\nTo set a new one, open ${this.baseUrl}/console/reset-password within ${MINUTES} minutes and enter this token:\n\n${token}\n\nPrograms send it with the new password to POST /auth/reset-password. ${words.otherwise}\n`;
    return { to: user.email, subject: words.subject, text, kind: 'reset-password', token };
  }

  private sealed(mail: Mail) {
    return sealMail(this.keys, mail, new Date(Date.now() + MAIL_TOKEN_LIFETIME_S * 1000));
  }

  /**
   * The same work in the same order for every address, so that time does not show which ones have accounts: for an address
   * that gets no mail one is written to nobody, and taken back before the commit. The mail is durable when this answers.
   */
  private mailTo(
    email: string,
    isWanted: (user: UserRow) => boolean,
    write: (user: TokenHolderState) => Promise<Mail>,
  ): Promise<void> {
    return this.db.inAuth(async (tx) => {
      const user = await findUserByEmail(tx, email);
      const key = mailAttempts(await foldAddress(tx, email));
      const [taken] = await takeAttempts(tx, [{ key, ...RECIPIENT_LIMIT }]);
      const mail = this.sealed(await write(user ?? nobody(email)));
      const isSent = user !== null && isWanted(user) && taken?.isWithin === true;
      await inSavepoint(tx, isSent, () => dispatch(tx, { kind: 'mail', tenantId: null, mail }));
    });
  }
}

async function verifyAddress(tx: AuthTransaction, actor: Actor, claims: VerifyClaims): Promise<UserRow> {
  const found = await lockUser(tx, claims.userId);
  if (!found?.isActive || (await findUserByEmail(tx, claims.email))?.id !== found.id) throw badVerifyToken();
  if (found.isVerified)
    throw new AppError('bad_request', 'This address is verified already.', 'VERIFY_USER_ALREADY_VERIFIED');
  if (verifyFingerprint(found) !== claims.fingerprint) throw badVerifyToken();
  return markVerified(tx, actingAs(actor, found), found.id);
}

/** Stands in for an account that is not there; what is written to it is never kept. */
const nobody = (email: string): TokenHolderState => ({
  id: NOBODY_ID,
  email,
  passwordHash: NOBODY_HASH,
  emailChanges: 0,
  verificationChanges: 0,
});
const NOBODY_ID = randomUUID();
/** As long as a stored hash. */
const NOBODY_HASH = 'x'.repeat(97);

const canReset = (user: UserRow | null, fingerprint: string): user is UserRow =>
  user?.isActive === true && resetFingerprint(user) === fingerprint;

/** Whoever holds the mailed token acts as the account. */
const actingAs = (actor: Actor, user: UserRow): Actor => ({
  id: user.id,
  email: user.email,
  fullName: user.fullName,
  ip: actor.ip,
});
