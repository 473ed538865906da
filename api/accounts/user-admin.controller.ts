import type { Request as ExRequest, RequestHandler } from 'express';
import {
  Body,
  Controller,
  Delete,
  Get,
  Middlewares,
  Patch,
  Path,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime';
import { notFound } from '../../core/errors/app-error.js';
import { isUuid } from '../../core/security/ids.js';
import type { ErrorOut } from '../http/answers/error.schemas.js';
import { actorOf } from '../http/routing/request-context.js';
import { toUserRead } from './accounts.mapper.js';
import type { UserRead, UserUpdate } from './accounts.schemas.js';
import type { UserAdminService } from './user-admin.service.platform.js';

/** Before the body is looked at: who does not exist cannot be changed wrongly. */
const onlyIds: RequestHandler = (req, _res, next) =>
  next(isUuid(String(req.params.id)) ? undefined : notFound('User'));

/** Accounts as FastAPI-Users' superusers see them: any text is an id, and one that is none is not found. */
@Route('users')
@Tags('accounts')
export class UserAdminController extends Controller {
  constructor(private readonly users: UserAdminService) {
    super();
  }

  /** @summary Read an account */
  @Get('{id}')
  @Security('admin')
  async read(@Path() id: string): Promise<UserRead> {
    return toUserRead(await this.users.read(id));
  }

  /**
   * A new password or a disabled account ends every sign-in; a new e-mail address is unverified. Null leaves
   * a field as it is, except full_name and phone, which it empties.
   * @summary Change an account
   */
  @Patch('{id}')
  @Security('admin')
  @Middlewares(onlyIds)
  @Response<ErrorOut>(
    400,
    "UPDATE_USER_EMAIL_ALREADY_EXISTS, UPDATE_USER_INVALID_PASSWORD, or disabling one's own account",
  )
  @Response<ErrorOut>(409, 'The last active global administrator')
  async update(@Request() req: ExRequest, @Path() id: string, @Body() body: UserUpdate): Promise<UserRead> {
    return toUserRead(await this.users.update(actorOf(req), id, body));
  }

  /** @summary Delete an account for good */
  @Delete('{id}')
  @Security('admin')
  @SuccessResponse(204, 'Deleted')
  @Response<ErrorOut>(400, "One's own account")
  @Response<ErrorOut>(409, 'The last active global administrator')
  async delete(@Request() req: ExRequest, @Path() id: string): Promise<void> {
    await this.users.delete(actorOf(req), id);
  }
}
