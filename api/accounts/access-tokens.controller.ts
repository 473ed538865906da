import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
  Delete,
  Get,
  Path,
  Post,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime';
import type { ErrorOut } from '../http/answers/error.schemas.js';
import type { Uuid } from '../http/routing/parameters.js';
import { actorOf, principalOf } from '../http/routing/request-context.js';
import { toAccessTokenOut, toWantedToken } from './accounts.mapper.js';
import type { AccessTokenCreate, AccessTokenCreated, AccessTokenList } from './access-tokens.schemas.js';
import type { AccessTokensService } from './access-tokens.service.platform.js';

@Route('users/me/tokens')
@Tags('accounts')
export class AccessTokensController extends Controller {
  constructor(private readonly tokens: AccessTokensService) {
    super();
  }

  /**
   * The answer shows the token once. It opens the named interface alone, never the REST API; what it may do follows
   * your role in the tenant at the time of use, and it ends when that role does.
   * @summary Create a token for the tracker or the container registry
   */
  @Post()
  @Security('session')
  @SuccessResponse(201, 'Created')
  @Response<ErrorOut>(404, 'No such tenant of yours')
  @Response<ErrorOut>(409, 'Too many tokens')
  async create(@Request() req: ExRequest, @Body() body: AccessTokenCreate): Promise<AccessTokenCreated> {
    const { row, token } = await this.tokens.create(actorOf(req), principalOf(req), toWantedToken(body));
    return { ...toAccessTokenOut(row), token };
  }

  /**
   * Without the tokens themselves. Expired ones are shown for 30 days.
   * @summary List one's own tokens
   */
  @Get()
  @Security('session')
  async list(@Request() req: ExRequest): Promise<AccessTokenList> {
    const { items, total } = await this.tokens.list(principalOf(req));
    return { items: items.map(toAccessTokenOut), total };
  }

  /** @summary Revoke one of one's own tokens */
  @Delete('{token_id}')
  @Security('session')
  @SuccessResponse(204, 'Revoked')
  async revoke(@Request() req: ExRequest, @Path() token_id: Uuid): Promise<void> {
    await this.tokens.revoke(actorOf(req), principalOf(req), token_id);
  }
}
