import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
  Extension,
  Post,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime';
import { clearedSessionCookie, sessionCookie, type CookieOptions } from '../http/guards/session-cookie.js';
import type { SignIn } from './sign-in.js';
import { unauthorized } from '../../core/errors/app-error.js';
import { callerAddress } from '../http/routing/caller-address.js';
import type { ErrorOut, HTTPValidationError } from '../http/answers/error.schemas.js';
import { principalOf } from '../http/routing/request-context.js';
import type { AccountsService } from './accounts.service.platform.js';
import type { BearerResponse, LoginForm } from './accounts.schemas.js';

@Route('auth')
@Tags('accounts')
export class SessionsController extends Controller {
  constructor(
    private readonly signIn: SignIn,
    private readonly accounts: AccountsService,
    private readonly cookie: CookieOptions,
  ) {
    super();
  }

  /**
   * Signs in and sets the session cookie `svcauth`. Answers 204; clients may treat 200 the same way.
   * @summary Sign in with a cookie
   */
  @Post('cookie/login')
  @Security('public')
  @Extension('x-form-body', true)
  @Extension('x-visitor-limit', 'sign-in')
  @SuccessResponse(204, 'Signed in')
  @Response<ErrorOut>(400, 'LOGIN_BAD_CREDENTIALS')
  @Response<ErrorOut>(429, 'Too many failed sign-ins of the account, or from this address or network')
  @Response<HTTPValidationError>(422, 'The form is not valid')
  async cookieLogin(@Request() req: ExRequest, @Body() body: LoginForm): Promise<void> {
    const user = await this.signIn.run(req, body);
    const token = await this.accounts.openCookieSession(user, originOf(req));
    req.res?.setHeader('Set-Cookie', sessionCookie(token, this.cookie));
  }

  /** @summary End the cookie session */
  @Post('cookie/logout')
  @Security('session')
  @SuccessResponse(204, 'Signed out')
  async cookieLogout(@Request() req: ExRequest): Promise<void> {
    const principal = principalOf(req);
    if (principal.sessionKind !== 'cookie') throw unauthorized();
    await this.accounts.endSession(principal);
    req.res?.setHeader('Set-Cookie', clearedSessionCookie(this.cookie));
  }

  /** @summary Sign in for a bearer token */
  @Post('jwt/login')
  @Security('public')
  @Extension('x-form-body', true)
  @Extension('x-visitor-limit', 'sign-in')
  @Response<ErrorOut>(400, 'LOGIN_BAD_CREDENTIALS')
  @Response<ErrorOut>(429, 'Too many failed sign-ins of the account, or from this address or network')
  @Response<HTTPValidationError>(422, 'The form is not valid')
  async jwtLogin(@Request() req: ExRequest, @Body() body: LoginForm): Promise<BearerResponse> {
    const user = await this.signIn.run(req, body);
    return { access_token: await this.accounts.openJwtSession(user, originOf(req)), token_type: 'bearer' };
  }

  /** @summary End the bearer session */
  @Post('jwt/logout')
  @Security('session')
  @SuccessResponse(200, 'Signed out')
  async jwtLogout(@Request() req: ExRequest): Promise<{ status: string }> {
    const principal = principalOf(req);
    if (principal.sessionKind !== 'jwt') throw unauthorized();
    await this.accounts.endSession(principal);
    return { status: 'signed out' };
  }
}

const originOf = (req: ExRequest) => ({
  ip: callerAddress(req),
  userAgent: req.headers['user-agent'] ?? null,
});
