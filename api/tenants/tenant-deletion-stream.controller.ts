import type { Request as ExRequest } from 'express';
import {
  Controller,
  Extension,
  Get,
  Path,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime';
import type { ErrorOut } from '../http/answers/error.schemas.js';
import type { Uuid } from '../http/routing/parameters.js';
import type { EventStreams } from '../streams/event-streams.js';
import type { TenantDeletionsService } from './tenant-deletions.service.js';

@Route('api/v1/stream/tenant-deletions')
@Tags('tenants')
export class TenantDeletionStreamController extends Controller {
  constructor(
    private readonly deletions: TenantDeletionsService,
    private readonly streams: EventStreams,
  ) {
    super();
  }

  /**
   * Events `deletion` and `step`; read the deletion first, events are not repeated.
   * @summary Follow a deletion
   * @param id id of the deletion
   */
  @Get('{id}')
  @Extension('x-event-stream', true)
  @Security('admin')
  @SuccessResponse(200, 'The stream')
  @Response<ErrorOut>(429, 'Too many streams are open')
  async follow(@Request() req: ExRequest, @Path() id: Uuid): Promise<void> {
    const { deletion } = await this.deletions.read(id);
    await this.streams.openForAdmin(req, 'tenant-deletions', deletion.deletionId, deletion.tenantCode);
  }
}
