import { baseUrl } from '../../core/config/settings.js';
import type { AccessTokens } from '../auth/jwt.js';
import { MailTokens } from '../auth/mail-tokens.js';
import { SignIn } from './sign-in.js';
import type { DomainPart, ProcessResources } from '../process-resources.js';
import { AccessTokensController } from './access-tokens.controller.js';
import { AccessTokensService } from './access-tokens.service.platform.js';
import { AccountsService } from './accounts.service.platform.js';
import { RecoveryController } from './recovery.controller.js';
import { RecoveryService } from './recovery.service.platform.js';
import { SessionsController } from './sessions.controller.js';
import { SignInThrottle } from './sign-in-throttle.platform.js';
import { UserAdminController } from './user-admin.controller.js';
import { UserAdminService } from './user-admin.service.platform.js';
import { UsersController } from './users.controller.js';
import { VisitorLimits } from './visitor-limits.platform.js';

/** Accounts, sign-in, recovery and their administration. */
export function wireAccounts(
  { db, hasher, cache, settings }: ProcessResources,
  tokens: AccessTokens,
): DomainPart & { readonly accounts: AccountsService } {
  const visitors = new VisitorLimits(db);
  const throttle = new SignInThrottle(db, visitors, hasher);
  const accounts = new AccountsService(
    db,
    hasher,
    tokens,
    cache,
    throttle,
    settings.SERVICE_AUTH_TOKEN_LIFETIME,
    settings.SERVICE_REGISTRATION,
  );
  const signIn = new SignIn(accounts, throttle);
  const cookie = {
    secure: settings.SERVICE_BASE_URL.startsWith('https:'),
    lifetimeS: settings.SERVICE_AUTH_TOKEN_LIFETIME,
  };
  const recovery = new RecoveryService(
    db,
    hasher,
    new MailTokens(settings.SERVICE_SECRET_KEYS),
    cache,
    settings.SERVICE_SECRET_KEYS,
    baseUrl(settings),
  );
  const userAdmin = new UserAdminService(db, hasher, cache);
  const accessTokens = new AccessTokensService(db, cache, settings.SERVICE_SECRET_KEYS);
  return {
    accounts,
    controllers: [
      [SessionsController, () => new SessionsController(signIn, accounts, cookie)],
      [UsersController, () => new UsersController(accounts, visitors)],
      [RecoveryController, () => new RecoveryController(recovery, visitors)],
      [AccessTokensController, () => new AccessTokensController(accessTokens)],
      [UserAdminController, () => new UserAdminController(userAdmin)],
    ],
  };
}
