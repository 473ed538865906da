import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
  Delete,
  Extension,
  Get,
  Path,
  Post,
  Put,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime';
import type { DatasetId } from '../datasets/datasets.schemas.js';
import { toDatasetOut } from '../datasets/datasets.mapper.js';
import type { ErrorOut } from '../http/answers/error.schemas.js';
import { callerOf, whenClientLeaves } from '../http/routing/request-context.js';
import { toLinkOut, toWantedCopy, toWantedLink } from './dataset-source.mapper.js';
import type { FromExternalCreate, FromExternalOut, LinkOut, SourceLink } from './dataset-source.schemas.js';
import type { DatasetSourceService } from './dataset-source.service.js';

@Route('api/v1/datasets')
@Tags('external-sources')
export class DatasetSourceController extends Controller {
  constructor(private readonly links: DatasetSourceService) {
    super();
  }

  /**
   * Its files come with the first sync. The id is made from the name.
   * @summary Create a dataset as a copy of a remote one
   */
  @Post(':from-external')
  @Security('user', ['DATASET_WRITE'])
  @Extension('x-long-work', true)
  @SuccessResponse(201, 'Created')
  @Response<ErrorOut>(409, 'The source is disabled, or its address is not allowed')
  @Response<ErrorOut>(
    502,
    'The source cannot be reached or answers in another form; detail.reason and detail.next_step',
  )
  @Response<ErrorOut>(503, 'The platform is too busy to ask the source; Retry-After says when to try again')
  async createFrom(@Request() req: ExRequest, @Body() body: FromExternalCreate): Promise<FromExternalOut> {
    this.setStatus(201);
    const { dataset, syncId } = await this.links.createFrom(
      callerOf(req),
      toWantedCopy(body),
      whenClientLeaves(req),
    );
    return { ...toDatasetOut(dataset), sync_id: syncId };
  }

  /** @summary Read how a dataset is linked to its source */
  @Get('{dataset_id}/source')
  @Security('user', ['VIEW'])
  async read(@Request() req: ExRequest, @Path() dataset_id: DatasetId): Promise<LinkOut> {
    return toLinkOut(await this.links.read(callerOf(req), dataset_id));
  }

  /**
   * Replaces the link it has. Files stay until the next sync. A remote dataset that the source does not list is refused; while the source is away or
   * disabled, it is not asked.
   * @summary Link a dataset to a remote one
   */
  @Put('{dataset_id}/source')
  @Security('user', ['DATASET_WRITE'])
  @Response<ErrorOut>(409, 'A sync runs')
  async link(
    @Request() req: ExRequest,
    @Path() dataset_id: DatasetId,
    @Body() body: SourceLink,
  ): Promise<LinkOut> {
    return toLinkOut(
      await this.links.link(callerOf(req), dataset_id, toWantedLink(body), whenClientLeaves(req)),
    );
  }

  /**
   * Files stay. A dataset without a link is left as it is.
   * @summary Unlink a dataset from its source
   */
  @Delete('{dataset_id}/source')
  @Security('user', ['DATASET_WRITE'])
  @Response<ErrorOut>(409, 'A sync runs')
  async unlink(@Request() req: ExRequest, @Path() dataset_id: DatasetId): Promise<LinkOut> {
    return toLinkOut(await this.links.unlink(callerOf(req), dataset_id));
  }
}
