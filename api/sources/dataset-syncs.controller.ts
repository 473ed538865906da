import type { Request as ExRequest } from 'express';
import {
  Controller,
  Delete,
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
import type { DatasetId } from '../datasets/datasets.schemas.js';
import type { ErrorOut } from '../http/answers/error.schemas.js';
import type { Uuid } from '../http/routing/parameters.js';
import { callerOf } from '../http/routing/request-context.js';
import { toSyncDetailOut, toSyncOut } from './dataset-syncs.mapper.js';
import type { DatasetSyncDetailOut, DatasetSyncPage, SyncListQuery } from './dataset-syncs.schemas.js';
import type { DatasetSyncsService } from './dataset-syncs.service.js';

@Route('api/v1/datasets/{dataset_id}/syncs')
@Tags('external-sources')
export class DatasetSyncsController extends Controller {
  constructor(private readonly syncs: DatasetSyncsService) {
    super();
  }

  /** @summary Syncs of a dataset, newest first */
  @Get()
  @Security('user', ['VIEW'])
  async list(
    @Request() req: ExRequest,
    @Path() dataset_id: DatasetId,
    @Queries() query: SyncListQuery,
  ): Promise<DatasetSyncPage> {
    const page = await this.syncs.list(callerOf(req), dataset_id, query);
    return { ...page, items: page.items.map(toSyncOut) };
  }

  /**
   * Makes the dataset what the manifest of its linked source says. Uploads are refused until the sync ends; files uploaded
   * before stay. Nothing is visible until everything is copied; then the dataset is validated again.
   * @summary Start a sync from the linked source
   */
  @Post()
  @Security('user', ['DATASET_WRITE'])
  @Extension('x-long-work', true)
  @SuccessResponse(202, 'Accepted')
  @Response<ErrorOut>(409, 'A sync is active, an upload is being assembled, or there is no enabled source')
  async start(@Request() req: ExRequest, @Path() dataset_id: DatasetId): Promise<DatasetSyncDetailOut> {
    this.setStatus(202);
    return toSyncDetailOut(await this.syncs.start(callerOf(req), dataset_id));
  }

  /** @summary Read a sync with its progress, warnings and errors */
  @Get('{sync_id}')
  @Security('user', ['VIEW'])
  async read(
    @Request() req: ExRequest,
    @Path() dataset_id: DatasetId,
    @Path() sync_id: Uuid,
  ): Promise<DatasetSyncDetailOut> {
    return toSyncDetailOut(await this.syncs.read(callerOf(req), dataset_id, sync_id));
  }

  /**
   * The files it brought stay.
   * @summary Delete a sync that has ended from the history
   */
  @Delete('{sync_id}')
  @Security('user', ['DATASET_WRITE'])
  @SuccessResponse(204, 'Deleted')
  @Response<ErrorOut>(409, 'It is still active')
  async remove(
    @Request() req: ExRequest,
    @Path() dataset_id: DatasetId,
    @Path() sync_id: Uuid,
  ): Promise<void> {
    await this.syncs.delete(callerOf(req), dataset_id, sync_id);
  }

  /**
   * Waits up to 5 s for the sync to end and answers it as it is then. The dataset stays as it was before the sync.
   * @summary Cancel a sync
   */
  @Post('{sync_id}:cancel')
  @Security('user', ['DATASET_WRITE'])
  @Response<ErrorOut>(409, 'It has ended already')
  async cancel(
    @Request() req: ExRequest,
    @Path() dataset_id: DatasetId,
    @Path() sync_id: Uuid,
  ): Promise<DatasetSyncDetailOut> {
    return toSyncDetailOut(await this.syncs.cancel(callerOf(req), dataset_id, sync_id));
  }
}
