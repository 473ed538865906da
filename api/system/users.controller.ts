import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
  Delete,
  Get,
  Patch,
  Path,
  Post,
  Query,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime';
import type { ErrorOut } from '../http/answers/error.schemas.js';
import type { PageNumber, PageSize, SearchText, TenantCodeText, Uuid } from '../http/routing/parameters.js';
import { actorOf } from '../http/routing/request-context.js';
import { toInvitationOut, toSystemUserOut } from './users.mapper.js';
import type {
  CreateUserBody,
  InvitationOut,
  InviteBody,
  RoleAssign,
  SystemUserOut,
  SystemUserPage,
} from './users.schemas.js';
import type { SystemUsersService } from './users.service.platform.js';

@Route('api/v1/system/users')
@Tags('system')
export class SystemUsersController extends Controller {
  constructor(private readonly users: SystemUsersService) {
    super();
  }

  /**
   * All accounts with their roles in all tenants.
   * @summary List users
   * @param tenant only members of the tenant with this code
   * @param q part of the e-mail address or the name
   * @param sort email (default), full_name, is_active or created_at
   */
  @Get()
  @Security('admin')
  @Response<ErrorOut>(400, 'Unknown sort key; detail.allowed lists the known ones')
  async list(
    @Query() tenant?: SearchText,
    @Query() page?: PageNumber,
    @Query() page_size?: PageSize,
    @Query() q?: SearchText,
    @Query() sort?: SearchText,
    @Query() order?: 'asc' | 'desc',
  ): Promise<SystemUserPage> {
    const found = await this.users.list({ page, page_size, q, sort, order }, tenant?.trim() || null);
    return { ...found, items: found.items.map(toSystemUserOut) };
  }

  /**
   * An invitation of somebody who holds a role in that tenant already replaces it. Where registration takes an invitation
   * (`SERVICE_REGISTRATION=invite`), an address without an account, or with one that nobody has verified and that has no role
   * in the tenant, is invited by mail for 14 days instead (202): it may register then, and has the role once it is verified.
   * @summary Grant a role to an account, or invite an address
   */
  @Post('invite')
  @Security('admin')
  @Response<InvitationOut>(202, 'Invited')
  @Response<ErrorOut>(404, 'No account with this address, or no such tenant')
  async invite(@Request() req: ExRequest, @Body() body: InviteBody): Promise<SystemUserOut> {
    const wanted = { email: body.email, tenantCode: body.tenant_code, role: body.role };
    const { user, invited } = await this.users.invite(actorOf(req), wanted);
    if (user !== null) return toSystemUserOut(user);
    // The second kind of answer; the type is that of the first.
    req.res?.status(202).json(toInvitationOut(invited));
    return undefined as never;
  }

  /** @summary Create an account with its first role */
  @Post('create')
  @Security('admin')
  @Response<ErrorOut>(400, 'REGISTER_USER_ALREADY_EXISTS or REGISTER_INVALID_PASSWORD')
  @Response<ErrorOut>(404, 'No such tenant')
  async create(@Request() req: ExRequest, @Body() body: CreateUserBody): Promise<SystemUserOut> {
    return toSystemUserOut(
      await this.users.create(actorOf(req), {
        email: body.email,
        password: body.password,
        tenantCode: body.tenant_code,
        role: body.role,
      }),
    );
  }

  /**
   * One role per person and tenant: it replaces the one held before.
   * @summary Set the role in a tenant
   */
  @Patch('{user_id}/role')
  @Security('admin')
  async assignRole(
    @Request() req: ExRequest,
    @Path() user_id: Uuid,
    @Body() body: RoleAssign,
  ): Promise<SystemUserOut> {
    return toSystemUserOut(await this.users.assignRole(actorOf(req), user_id, body.tenant_code, body.role));
  }

  /**
   * A global membership is none of a tenant: it answers 404 here.
   * @summary Remove from a tenant
   * @param tenant code of the tenant
   */
  @Delete('{user_id}/role')
  @Security('admin')
  @SuccessResponse(200, 'Taken')
  async removeRole(
    @Request() req: ExRequest,
    @Path() user_id: Uuid,
    @Query() tenant: TenantCodeText,
  ): Promise<SystemUserOut> {
    return toSystemUserOut(await this.users.removeRole(actorOf(req), user_id, tenant));
  }

  /** @summary Make a global administrator; repeating it changes nothing */
  @Post('{user_id}/global-admin')
  @Security('admin')
  async grantGlobalAdmin(@Request() req: ExRequest, @Path() user_id: Uuid): Promise<SystemUserOut> {
    return toSystemUserOut(await this.users.grantGlobalAdmin(actorOf(req), user_id));
  }

  /**
   * Roles in tenants remain. The last active global administrator cannot be removed.
   * @summary Remove the global membership
   */
  @Delete('{user_id}/global-admin')
  @Security('admin')
  @SuccessResponse(200, 'Removed')
  @Response<ErrorOut>(409, 'The last active global administrator')
  async revokeGlobalAdmin(@Request() req: ExRequest, @Path() user_id: Uuid): Promise<SystemUserOut> {
    return toSystemUserOut(await this.users.revokeGlobalAdmin(actorOf(req), user_id));
  }

  /**
   * Ends every sign-in; memberships remain.
   * @summary Disable an account
   */
  @Post('{user_id}/disable')
  @Security('admin')
  @Response<ErrorOut>(400, "One's own account")
  @Response<ErrorOut>(409, 'The last active global administrator')
  async disable(@Request() req: ExRequest, @Path() user_id: Uuid): Promise<SystemUserOut> {
    return toSystemUserOut(await this.users.setActive(actorOf(req), user_id, false));
  }

  /** @summary Enable an account */
  @Post('{user_id}/enable')
  @Security('admin')
  async enable(@Request() req: ExRequest, @Path() user_id: Uuid): Promise<SystemUserOut> {
    return toSystemUserOut(await this.users.setActive(actorOf(req), user_id, true));
  }

  /** @summary Delete an account for good */
  @Delete('{user_id}')
  @Security('admin')
  @SuccessResponse(200, 'Deleted')
  @Response<ErrorOut>(400, "One's own account")
  @Response<ErrorOut>(409, 'The last active global administrator')
  async delete(
    @Request() req: ExRequest,
    @Path() user_id: Uuid,
  ): Promise<{ status: string; message: string }> {
    await this.users.delete(actorOf(req), user_id);
    return { status: 'deleted', message: 'The account and its roles are gone.' };
  }
}
