import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
  Extension,
  Get,
  Patch,
  Post,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime';
import type { ErrorOut } from '../http/answers/error.schemas.js';
import { visitorAddress } from '../http/routing/caller-address.js';
import { actorOf, principalOf } from '../http/routing/request-context.js';
import { principalToUserRead, toSessionOut, toUserRead } from './accounts.mapper.js';
import type { PasswordChange, ProfileUpdate, SessionList, UserCreate, UserRead } from './accounts.schemas.js';
import type { VisitorLimits } from './visitor-limits.platform.js';
import type { AccountsService } from './accounts.service.platform.js';

@Route('')
@Tags('accounts')
export class UsersController extends Controller {
  constructor(
    private readonly accounts: AccountsService,
    private readonly visitors: VisitorLimits,
  ) {
    super();
  }

  /**
   * Opens an account. It has no tenant role until a global administrator grants one; flags in the body are ignored.
   * @summary Register
   */
  @Post('auth/register')
  @Security('public')
  @Extension('x-visitor-limit', 'register')
  @SuccessResponse(201, 'Registered')
  @Response<ErrorOut>(400, 'REGISTER_USER_ALREADY_EXISTS or REGISTER_INVALID_PASSWORD')
  @Response<ErrorOut>(403, 'Registration is closed, or takes an invitation that the address does not have')
  @Response<ErrorOut>(429, 'Too many requests from this address or network')
  async register(@Request() req: ExRequest, @Body() body: UserCreate): Promise<UserRead> {
    await this.visitors.take('register', visitorAddress(req));
    return toUserRead(await this.accounts.register(actorOf(req), body));
  }

  /** @summary Read one's own account */
  @Get('users/me')
  @Security('session')
  async readMe(@Request() req: ExRequest): Promise<UserRead> {
    return principalToUserRead(principalOf(req));
  }

  /** @summary Change one's own profile */
  @Patch('users/me')
  @Security('session')
  async updateMe(@Request() req: ExRequest, @Body() body: ProfileUpdate): Promise<UserRead> {
    return toUserRead(await this.accounts.updateProfile(actorOf(req), principalOf(req).userId, body));
  }

  /** @summary List one's own sign-ins */
  @Get('users/me/sessions')
  @Security('session')
  async listSessions(@Request() req: ExRequest): Promise<SessionList> {
    const { items, total } = await this.accounts.sessions(principalOf(req).userId);
    return { items: items.map((session) => toSessionOut(session, principalOf(req))), total };
  }

  /** @summary Sign out everywhere else; this sign-in stays */
  @Post('users/me/sessions/end-others')
  @Security('session')
  async endOtherSessions(@Request() req: ExRequest): Promise<{ status: string; ended: number }> {
    return {
      status: 'signed out',
      ended: await this.accounts.endOtherSessions(actorOf(req), principalOf(req)),
    };
  }

  /**
   * Ends every sign-in of the account, this one included.
   * @summary Change one's own password
   */
  @Post('users/me/password')
  @Security('session')
  @SuccessResponse(204, 'Changed')
  @Response<ErrorOut>(400, 'UPDATE_USER_INVALID_PASSWORD or CHANGE_PASSWORD_BAD_CURRENT')
  async changePassword(@Request() req: ExRequest, @Body() body: PasswordChange): Promise<void> {
    await this.accounts.changePassword(
      actorOf(req),
      principalOf(req).userId,
      body.current_password,
      body.new_password,
    );
  }
}
