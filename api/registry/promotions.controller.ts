import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
  Extension,
  Get,
  Path,
  Post,
  Queries,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime';
import type { ErrorOut } from '../http/answers/error.schemas.js';
import type { Uuid } from '../http/routing/parameters.js';
import { callerOf } from '../http/routing/request-context.js';
import type { ModelName, VersionNumber } from './models.schemas.js';
import { toPromotionOut } from './promotions.mapper.js';
import type {
  PromoteRequest,
  PromotionDecisionBody,
  PromotionOut,
  PromotionPage,
  PromotionQuery,
} from './promotions.schemas.js';
import type { PromotionsService } from './promotions.service.js';

@Route('api/v1')
@Tags('promotions')
export class PromotionsController extends Controller {
  constructor(private readonly promotions: PromotionsService) {
    super();
  }

  /**
   * Machine checks run first: the version's files are read and compared with their sha256, it is not Archived, and the last
   * smoke of its endpoints misses no KPI target of the tenant. Where the tenant's feature `promotion_approval` is on, a
   * second person must approve within 7 days; otherwise it is applied as soon as the checks are green. Applying archives the
   * former Production version. Smokes of endpoints and a way in for feedback come with a later release: until then no KPI is
   * checked, and conditions on `accuracy` or a smoke KPI hold nothing.
   * @summary Request the promotion of a version to Production
   */
  @Post('models/{name}/{version}/promote')
  @Security('user', ['PRODUCTION_PROMOTE'])
  @Extension('x-long-work', true)
  @SuccessResponse(201, 'Requested')
  @Response<ErrorOut>(409, 'In Production already, or a promotion of it is under way')
  async promote(
    @Request() req: ExRequest,
    @Path() name: ModelName,
    @Path() version: VersionNumber,
    @Body() body: PromoteRequest,
  ): Promise<PromotionOut> {
    this.setStatus(201);
    return toPromotionOut(await this.promotions.request(callerOf(req), name, version, body));
  }

  /** @summary List promotions, newest first */
  @Get('promotions')
  @Security('user', ['VIEW'])
  async list(@Request() req: ExRequest, @Queries() query: PromotionQuery): Promise<PromotionPage> {
    const page = await this.promotions.list(callerOf(req), query);
    return { ...page, items: page.items.map(toPromotionOut) };
  }

  /** @summary Read a promotion with its checks and decision */
  @Get('promotions/{promotion_id}')
  @Security('user', ['VIEW'])
  async read(@Request() req: ExRequest, @Path() promotion_id: Uuid): Promise<PromotionOut> {
    return toPromotionOut(await this.promotions.read(callerOf(req), promotion_id));
  }

  /**
   * Waits up to 5 s until it is applied, and answers the promotion as it is then.
   * @summary Approve a promotion
   */
  @Post('promotions/{promotion_id}/approve')
  @Security('user', ['PRODUCTION_PROMOTE'])
  @Response<ErrorOut>(403, 'The permission is missing, or the caller requested the promotion')
  @Response<ErrorOut>(409, 'It does not wait for an approval')
  async approve(
    @Request() req: ExRequest,
    @Path() promotion_id: Uuid,
    @Body() body?: PromotionDecisionBody,
  ): Promise<PromotionOut> {
    const comment = body?.comment ?? null;
    return toPromotionOut(await this.promotions.decide(callerOf(req), promotion_id, 'approve', comment));
  }

  /**
   * Whoever requested it may take it back in this way.
   * @summary Reject a promotion
   */
  @Post('promotions/{promotion_id}/reject')
  @Security('user', ['PRODUCTION_PROMOTE'])
  @Response<ErrorOut>(409, 'It does not wait for an approval')
  async reject(
    @Request() req: ExRequest,
    @Path() promotion_id: Uuid,
    @Body() body?: PromotionDecisionBody,
  ): Promise<PromotionOut> {
    const comment = body?.comment ?? null;
    return toPromotionOut(await this.promotions.decide(callerOf(req), promotion_id, 'reject', comment));
  }
}
