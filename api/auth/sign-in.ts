import type { Request } from 'express';
import { Passport } from 'passport';
import { Strategy } from 'passport-local';
import { AppError, fieldError, unprocessable } from '../../core/errors/app-error.js';
import type { UserRow } from '../../models/accounts/account.repository.js';
import type { AccountsService } from '../accounts/accounts.service.js';
import type { LoginForm } from '../accounts/accounts.schemas.js';
import type { SignInThrottle } from '../accounts/sign-in-throttle.js';

/** Runs the password strategy over the form fields `username` and `password`; sessions are our own. */
export class SignIn {
  private readonly passport = new Passport();

  constructor(
    accounts: AccountsService,
    private readonly throttle: SignInThrottle,
  ) {
    this.passport.use(
      new Strategy({ session: false }, (username, password, done) => {
        accounts.verifyCredentials(username, password).then((user) => done(null, user ?? false), done);
      }),
    );
  }

  /** @throws AppError unprocessable_entity for a bad form, bad_request LOGIN_BAD_CREDENTIALS, too_many_requests */
  async run(req: Request, form: LoginForm): Promise<UserRow> {
    checkForm(form);
    const address = req.ip ?? 'unknown';
    await this.throttle.check(form.username, address);
    const user = await this.verify(req);
    if (!user) {
      await this.throttle.recordFailure(form.username, address);
      throw new AppError('bad_request', 'E-mail address or password is not right.', 'LOGIN_BAD_CREDENTIALS');
    }
    await this.throttle.recordSuccess(form.username, address);
    return user;
  }

  private verify(req: Request): Promise<UserRow | false> {
    return new Promise((resolve, reject) => {
      const callback = (error: unknown, user: UserRow | false) => (error ? reject(error) : resolve(user));
      this.passport.authenticate('local', { session: false }, callback)(req, req.res, reject);
    });
  }
}

function checkForm(form: LoginForm): void {
  const empty = (['username', 'password'] as const).filter((name) => form[name] === '');
  if (empty.length > 0) throw unprocessable(empty.map((name) => fieldError(['body', name], 'Field required', 'missing')));
  if (form.grant_type !== undefined && form.grant_type !== '' && form.grant_type !== 'password')
    throw unprocessable([fieldError(['body', 'grant_type'], 'must be password', 'string_pattern_mismatch')]);
}
