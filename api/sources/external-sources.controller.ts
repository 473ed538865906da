import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
  Delete,
  Get,
  Patch,
  Path,
  Post,
  Queries,
  Query,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime';
import type { DatasetId } from '../datasets/datasets.schemas.js';
import type { ErrorOut } from '../http/answers/error.schemas.js';
import { callerOf, whenClientLeaves } from '../http/routing/request-context.js';
import {
  toRemoteDatasetOut,
  toRemoteManifestOut,
  toRemoteQuery,
  toSourceChanges,
  toSourceOut,
  toSourceTestOut,
} from './external-sources.mapper.js';
import type {
  RemoteDatasetId,
  RemoteDatasetPage,
  RemoteDatasetQuery,
  RemoteManifestOut,
  SourceCreate,
  SourceId,
  SourceListOut,
  SourceOut,
  SourceTestOut,
  SourceUpdate,
} from './external-sources.schemas.js';
import type { ExternalSourcesService } from './external-sources.service.js';
import type { RemoteManifestService } from './remote-manifest.service.js';

@Route('api/v1/external-sources')
@Tags('external-sources')
export class ExternalSourcesController extends Controller {
  constructor(
    private readonly sources: ExternalSourcesService,
    private readonly manifests: RemoteManifestService,
  ) {
    super();
  }

  /** @summary List external sources */
  @Get()
  @Security('user', ['VIEW'])
  async list(@Request() req: ExRequest): Promise<SourceListOut> {
    const { items, total } = await this.sources.list(callerOf(req));
    return { items: items.map(toSourceOut), total };
  }

  /**
   * Nothing is asked of it yet; test it next.
   * @summary Add an external source
   */
  @Post()
  @Security('user', ['DATASET_WRITE'])
  @SuccessResponse(201, 'Created')
  async create(@Request() req: ExRequest, @Body() body: SourceCreate): Promise<SourceOut> {
    this.setStatus(201);
    const { name, base_url, token = null, description = '', enabled = true } = body;
    return toSourceOut(
      await this.sources.create(callerOf(req), { name, baseUrl: base_url, token, description, enabled }),
    );
  }

  /** @summary Read an external source */
  @Get('{source_id}')
  @Security('user', ['VIEW'])
  async read(@Request() req: ExRequest, @Path() source_id: SourceId): Promise<SourceOut> {
    return toSourceOut(await this.sources.read(callerOf(req), source_id));
  }

  /** @summary Change an external source */
  @Patch('{source_id}')
  @Security('user', ['DATASET_WRITE'])
  async update(
    @Request() req: ExRequest,
    @Path() source_id: SourceId,
    @Body() body: SourceUpdate,
  ): Promise<SourceOut> {
    return toSourceOut(await this.sources.update(callerOf(req), source_id, toSourceChanges(body)));
  }

  /**
   * Datasets keep the files they have. Syncs that run end as canceled within 10 s, or up to 30 s
   * where the worker that copies has died.
   * @summary Delete an external source
   * @param force Unlink the datasets that use it and cancel their syncs
   */
  @Delete('{source_id}')
  @Security('user', ['DATASET_WRITE'])
  @SuccessResponse(204, 'Deleted')
  @Response<ErrorOut>(409, 'In use; detail.datasets names the datasets and the syncs that run')
  async remove(
    @Request() req: ExRequest,
    @Path() source_id: SourceId,
    @Query() force: boolean = false,
  ): Promise<void> {
    await this.sources.delete(callerOf(req), source_id, force);
  }

  /**
   * Fetches one entry of the remote list. The response reports failures.
   * @summary Test the way to an external source and its credentials
   */
  @Post('{source_id}:test')
  @Security('user', ['DATASET_WRITE'])
  async test(@Request() req: ExRequest, @Path() source_id: SourceId): Promise<SourceTestOut> {
    return toSourceTestOut(await this.sources.test(callerOf(req), source_id, whenClientLeaves(req)));
  }

  /**
   * Fetched from the source at once.
   * @summary List the datasets of an external source
   */
  @Get('{source_id}/remote-datasets')
  @Security('user', ['VIEW'])
  @Response<ErrorOut>(409, 'The source is disabled, or its address is not allowed')
  @Response<ErrorOut>(
    502,
    'The source cannot be reached or answers in another form; detail.reason and detail.next_step',
  )
  @Response<ErrorOut>(503, 'The platform is too busy to ask the source; Retry-After says when to try again')
  @Response<ErrorOut>(504, 'The source is too slow')
  async listRemote(
    @Request() req: ExRequest,
    @Path() source_id: SourceId,
    @Queries() query: RemoteDatasetQuery,
  ): Promise<RemoteDatasetPage> {
    const found = await this.sources.listRemote(
      callerOf(req),
      source_id,
      toRemoteQuery(query),
      whenClientLeaves(req),
    );
    return { ...found, items: found.items.map(toRemoteDatasetOut) };
  }

  /**
   * Files with path, size and sha256, the first 1,000 of them, and what a sync would do, before a byte of them moves.
   * @summary Read the manifest of a remote dataset, and preview a sync
   * @param dataset_id The dataset to compare with; without it there is no preview
   */
  @Get('{source_id}/remote-datasets/{remote_dataset_id}/manifest')
  @Security('user', ['VIEW'])
  @Response<ErrorOut>(409, 'The source is disabled, or its address is not allowed')
  @Response<ErrorOut>(
    502,
    'The source cannot be reached or answers in another form; detail.reason and detail.next_step',
  )
  @Response<ErrorOut>(503, 'The platform is too busy to ask the source; Retry-After says when to try again')
  @Response<ErrorOut>(504, 'The source is too slow')
  async manifest(
    @Request() req: ExRequest,
    @Path() source_id: SourceId,
    @Path() remote_dataset_id: RemoteDatasetId,
    @Query() dataset_id?: DatasetId,
  ): Promise<RemoteManifestOut> {
    const manifest = await this.manifests.read(
      callerOf(req),
      source_id,
      remote_dataset_id,
      dataset_id ?? null,
      whenClientLeaves(req),
    );
    return toRemoteManifestOut(source_id, remote_dataset_id, dataset_id ?? null, manifest);
  }
}
