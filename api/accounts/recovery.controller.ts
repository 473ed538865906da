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
import type { ErrorOut } from '../http/answers/error.schemas.js';
import { visitorAddress } from '../http/routing/caller-address.js';
import { actorOf } from '../http/routing/request-context.js';
import { toUserRead } from './accounts.mapper.js';
import type { EmailBody, ResetPasswordBody, UserRead, VerifyBody } from './accounts.schemas.js';
import type { VisitorLimits } from './visitor-limits.platform.js';
import type { RecoveryService } from './recovery.service.platform.js';

@Route('auth')
@Tags('accounts')
export class RecoveryController extends Controller {
  constructor(
    private readonly recovery: RecoveryService,
    private readonly visitors: VisitorLimits,
  ) {
    super();
  }

  /**
   * The token goes to the address by mail. The answer is the same whether or not there is such an account.
   * @summary Ask for a password reset
   */
  @Post('forgot-password')
  @Security('public')
  @Extension('x-visitor-limit', 'mail')
  @SuccessResponse(202, 'Accepted')
  @Response<ErrorOut>(429, 'Too many requests from this address or network')
  async forgotPassword(@Request() req: ExRequest, @Body() body: EmailBody): Promise<null> {
    await this.visitors.take('mail', visitorAddress(req));
    await this.recovery.requestReset(body.email);
    return sendNull(req, 202);
  }

  /**
   * Ends every sign-in of the account. A token works once.
   * @summary Set a new password with a mailed token
   */
  @Post('reset-password')
  @Security('public')
  @Response<ErrorOut>(400, 'RESET_PASSWORD_BAD_TOKEN or RESET_PASSWORD_INVALID_PASSWORD')
  async resetPassword(@Request() req: ExRequest, @Body() body: ResetPasswordBody): Promise<null> {
    await this.recovery.reset(actorOf(req), body.token, body.password);
    return sendNull(req, 200);
  }

  /**
   * The answer is the same whether or not there is such an account.
   * @summary Ask for a mail that verifies the address
   */
  @Post('request-verify-token')
  @Security('public')
  @Extension('x-visitor-limit', 'mail')
  @SuccessResponse(202, 'Accepted')
  @Response<ErrorOut>(429, 'Too many requests from this address or network')
  async requestVerifyToken(@Request() req: ExRequest, @Body() body: EmailBody): Promise<null> {
    await this.visitors.take('mail', visitorAddress(req));
    await this.recovery.requestVerify(body.email);
    return sendNull(req, 202);
  }

  /** @summary Verify the address with a mailed token */
  @Post('verify')
  @Security('public')
  @Response<ErrorOut>(400, 'VERIFY_USER_BAD_TOKEN or VERIFY_USER_ALREADY_VERIFIED')
  async verify(@Request() req: ExRequest, @Body() body: VerifyBody): Promise<UserRead> {
    return toUserRead(await this.recovery.verify(actorOf(req), body.token));
  }
}

/** The JSON value null as the body, as FastAPI-Users answers; a returned null would be an empty one. */
function sendNull(req: ExRequest, status: number): null {
  req.res?.status(status).json(null);
  return null;
}
