import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
  Get,
  Path,
  Post,
  Request,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime';
import { callerOf } from '../http/routing/request-context.js';
import { toCommentOut } from './comments.mapper.js';
import type { CommentCreate, CommentList, CommentOut } from './comments.schemas.js';
import type { CommentsService } from './comments.service.js';
import type { ModelName, VersionNumber } from './models.schemas.js';

@Route('api/v1/models')
@Tags('models')
export class CommentsController extends Controller {
  constructor(private readonly comments: CommentsService) {
    super();
  }

  /** @summary Comments on a version, newest first */
  @Get('{name}/{version}/comments')
  @Security('user', ['VIEW'])
  async list(
    @Request() req: ExRequest,
    @Path() name: ModelName,
    @Path() version: VersionNumber,
  ): Promise<CommentList> {
    const { items, total } = await this.comments.list(callerOf(req), name, version);
    return { items: items.map(toCommentOut), total };
  }

  /** @summary Comment on a version */
  @Post('{name}/{version}/comments')
  @Security('user', ['DEVELOP'])
  @SuccessResponse(201, 'Stored')
  async add(
    @Request() req: ExRequest,
    @Path() name: ModelName,
    @Path() version: VersionNumber,
    @Body() body: CommentCreate,
  ): Promise<CommentOut> {
    this.setStatus(201);
    return toCommentOut(await this.comments.add(callerOf(req), name, version, body.body));
  }
}
