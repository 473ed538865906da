import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
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
import { actorOf } from '../http/routing/request-context.js';
import { toDeletionOut, toDeletionSummary, toPreviewOut } from './tenant-deletions.mapper.js';
import type {
  DeletionList,
  DeletionOut,
  DeletionPreviewOut,
  TenantDeleteRequest,
} from './tenant-deletions.schemas.js';
import type { TenantDeletionsService } from './tenant-deletions.service.js';

@Route('api/v1/settings/tenants')
@Tags('tenants')
export class TenantDeletionsController extends Controller {
  constructor(private readonly deletions: TenantDeletionsService) {
    super();
  }

  /**
   * Newest first.
   * @summary List deletions of tenants
   */
  @Get('deletions')
  @Security('admin')
  async list(): Promise<DeletionList> {
    const { items, total } = await this.deletions.list();
    return { items: items.map(({ deletion, steps }) => toDeletionSummary(deletion, steps)), total };
  }

  /**
   * @summary Read a deletion with its checklist, its log and its certificate
   * @param deletion_id id of the deletion
   */
  @Get('deletions/{deletion_id}')
  @Security('admin')
  async read(@Path() deletion_id: Uuid): Promise<DeletionOut> {
    return toDeletionOut(await this.deletions.read(deletion_id));
  }

  /**
   * Counts by the same questions that the deletion asks itself.
   * @summary Count what a deletion of a tenant removes
   * @param tenant_id id of the tenant
   */
  @Get('{tenant_id}/deletion-preview')
  @Security('admin')
  async preview(@Path() tenant_id: Uuid): Promise<DeletionPreviewOut> {
    const { tenant, counts } = await this.deletions.preview(tenant_id);
    return toPreviewOut(tenant, counts);
  }

  /**
   * Irreversible. The tenant is unknown to its members from now on; follow the deletion by its stream or by reading it.
   * @summary Delete a tenant with everything that belongs to it
   * @param tenant_id id of the tenant
   */
  @Post('{tenant_id}/deletion')
  @Security('admin')
  @SuccessResponse(202, 'Accepted')
  @Response<ErrorOut>(409, 'Its deletion was asked for already')
  async request(
    @Request() req: ExRequest,
    @Path() tenant_id: Uuid,
    @Body() body: TenantDeleteRequest,
  ): Promise<DeletionOut> {
    this.setStatus(202);
    return toDeletionOut(await this.deletions.request(actorOf(req), tenant_id, body.confirm_code));
  }

  /**
   * Steps that are done stay done.
   * @summary Retry a failed deletion
   * @param deletion_id id of the deletion
   */
  @Post('deletions/{deletion_id}/retry')
  @Security('admin')
  @SuccessResponse(202, 'Accepted')
  @Response<ErrorOut>(409, 'It has not failed')
  async retry(@Request() req: ExRequest, @Path() deletion_id: Uuid): Promise<DeletionOut> {
    this.setStatus(202);
    return toDeletionOut(await this.deletions.retry(actorOf(req), deletion_id));
  }
}
