import type { Request } from 'express';
import { Passport } from 'passport';
import { Strategy } from 'passport-local';
import { AppError, fieldError, unprocessable } from '../../core/errors/app-error.js';
import type { UserRow } from '../../models/accounts/account.platform.js';
import { badCredentials, type AccountsService } from './accounts.service.platform.js';
import { visitorAddress } from '../http/routing/caller-address.js';
import type { LoginForm } from './accounts.schemas.js';
import type { SignInAttempt, SignInThrottle } from './sign-in-throttle.platform.js';
import type { HashCaller } from '../auth/password-hasher.js';

/** Runs the password strategy over the form fields `username` and `password`; sessions are our own. */
export class SignIn {
  private readonly passport = new Passport();

  constructor(
    private readonly accounts: AccountsService,
    private readonly throttle: SignInThrottle,
  ) {}

  /** @throws AppError unprocessable_entity for a bad form, bad_request LOGIN_BAD_CREDENTIALS, too_many_requests, service_unavailable */
  async run(req: Request, form: LoginForm): Promise<UserRow> {
    checkForm(form);
    return this.throttle.attempt(form.username, visitorAddress(req), (attempt) => this.compare(req, attempt));
  }

  private async compare(req: Request, attempt: SignInAttempt): Promise<UserRow> {
    try {
      const user = await this.verify(req, attempt.caller);
      if (!user) throw badCredentials();
      await attempt.succeeded(user.id);
      return user;
    } catch (error) {
      // Nothing was compared when the service was busy or the database away.
      if (error instanceof AppError && error.code === 'service_unavailable') await attempt.giveBack();
      throw error;
    }
  }

  private verify(req: Request, caller: HashCaller): Promise<UserRow | false> {
    const strategy = new Strategy({ session: false }, (username, password, done) => {
      this.accounts
        .verifyCredentials(username, password, caller)
        .then((user) => done(null, user ?? false), done);
    });
    return new Promise((resolve, reject) => {
      const callback = (error: unknown, user: UserRow | false) => (error ? reject(error) : resolve(user));
      this.passport.authenticate(strategy, { session: false }, callback)(req, req.res, reject);
    });
  }
}

function checkForm(form: LoginForm): void {
  const empty = (['username', 'password'] as const).filter((name) => form[name] === '');
  if (empty.length > 0)
    throw unprocessable(empty.map((name) => fieldError(['body', name], 'Field required', 'missing')));
  if (form.grant_type !== undefined && form.grant_type !== '' && form.grant_type !== 'password')
    throw unprocessable([fieldError(['body', 'grant_type'], 'must be password', 'string_pattern_mismatch')]);
}
