import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
  Delete,
  Extension,
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
import type { ErrorOut } from '../http/answers/error.schemas.js';
import type { DataDigest } from '../http/routing/parameters.js';
import { callerOf, whenClientLeaves } from '../http/routing/request-context.js';
import {
  toDatasetDetailOut,
  toDatasetOut,
  toNewDataset,
  toSameDataOut,
  toSampleOut,
  toMadeVersionOut,
  toUsageItemOut,
} from './datasets.mapper.js';
import type { DatasetSampleService } from './dataset-sample.service.js';
import type {
  DatasetCreate,
  DatasetDetailOut,
  DatasetId,
  DatasetListQuery,
  DatasetOut,
  DatasetPage,
  DatasetUpdate,
  DraftCreate,
  SampleOut,
} from './datasets.schemas.js';
import type { UsageOut } from './usage.schemas.js';
import type { DatasetsService } from './datasets.service.js';

@Route('api/v1/datasets')
@Tags('datasets')
export class DatasetsController extends Controller {
  constructor(
    private readonly datasets: DatasetsService,
    private readonly samples: DatasetSampleService,
  ) {
    super();
  }

  /** @summary List datasets */
  @Get()
  @Security('user', ['VIEW'])
  async list(@Request() req: ExRequest, @Queries() query: DatasetListQuery): Promise<DatasetPage> {
    const { source, status, external_source, digest, ...std } = query;
    const page = await this.datasets.list(
      callerOf(req),
      { source, status, externalSource: external_source, digest },
      std,
    );
    return { ...page, items: page.items.map(toDatasetOut) };
  }

  /** @summary Create a dataset with an id of one's own */
  @Post()
  @Security('user', ['DATASET_WRITE'])
  @SuccessResponse(201, 'Created')
  @Response<ErrorOut>(409, 'The id is taken')
  async create(@Request() req: ExRequest, @Body() body: DatasetCreate): Promise<DatasetOut> {
    this.setStatus(201);
    return toDatasetOut(await this.datasets.create(callerOf(req), toNewDataset(body)));
  }

  /**
   * The id is made from the name.
   * @summary Create an empty dataset to upload into
   */
  @Post('drafts')
  @Security('user', ['DATASET_WRITE'])
  @SuccessResponse(201, 'Created')
  async createDraft(@Request() req: ExRequest, @Body() body: DraftCreate): Promise<DatasetOut> {
    this.setStatus(201);
    return toDatasetOut(
      await this.datasets.createDraft(callerOf(req), {
        name: body.name,
        modality: body.modality ?? 'image',
        source: body.source,
      }),
    );
  }

  /** @summary Read a dataset with its manifest */
  @Get('{dataset_id}')
  @Security('user', ['VIEW'])
  async read(@Request() req: ExRequest, @Path() dataset_id: DatasetId): Promise<DatasetDetailOut> {
    const { dataset, files, classes, tasks } = await this.datasets.read(callerOf(req), dataset_id);
    return toDatasetDetailOut(dataset, files, classes, tasks);
  }

  /** @summary Change name, source or modality */
  @Patch('{dataset_id}')
  @Security('user', ['DATASET_WRITE'])
  async update(
    @Request() req: ExRequest,
    @Path() dataset_id: DatasetId,
    @Body() body: DatasetUpdate,
  ): Promise<DatasetOut> {
    return toDatasetOut(await this.datasets.update(callerOf(req), dataset_id, body));
  }

  /**
   * Removes the dataset and all uploaded files. Upload sessions end with it and what they hold is freed; a chunk on its way
   * is answered 404. What training runs use stays in the store until they are deleted; endpoints
   * that name it as their validation dataset no longer do. With force a running sync is cancelled
   * and the dataset goes with its end, for which the answer waits up to 12 s.
   * @summary Delete a dataset
   * @param force Delete it although training runs or endpoints use it or a sync runs
   */
  @Delete('{dataset_id}')
  @Security('user', ['DATASET_WRITE'])
  @SuccessResponse(204, 'Deleted')
  @Response<ErrorOut>(
    409,
    'In use; detail.users names the first 20 users and detail.users_total counts them, detail.sync_id is the sync that runs',
  )
  async remove(
    @Request() req: ExRequest,
    @Path() dataset_id: DatasetId,
    @Query() force: boolean = false,
  ): Promise<void> {
    await this.datasets.delete(callerOf(req), dataset_id, force, whenClientLeaves(req));
  }

  /**
   * Image datasets give files with what a preview needs, spread over the classes. Tables (CSV, TSV, JSON lines, Parquet)
   * give the first rows of the first readable one, of which only the needed bytes are read. Long cells are cut.
   * @summary Sample rows of a dataset
   * @param limit Rows, at most 200; default 20
   * @isInt limit must be a whole number
   * @minimum limit 1
   * @maximum limit 200
   */
  @Get('{dataset_id}/sample')
  @Security('user', ['VIEW'])
  @Response<ErrorOut>(503, 'Too many tables are being read; Retry-After says when to ask again')
  async sample(
    @Request() req: ExRequest,
    @Path() dataset_id: DatasetId,
    @Query() limit?: number,
  ): Promise<SampleOut> {
    return toSampleOut(
      await this.samples.sample(callerOf(req), dataset_id, limit, whenClientLeaves(req)),
      dataset_id,
    );
  }

  /**
   * Also the model versions that were made from it, with the endpoints that serve them and the devices that have them, and
   * other datasets with the same data.
   * @summary Training runs that use the dataset
   * @param digest Only what was made from the dataset as it was with this digest
   */
  @Get('{dataset_id}/usage')
  @Security('user', ['VIEW'])
  async usage(
    @Request() req: ExRequest,
    @Path() dataset_id: DatasetId,
    @Query() digest?: DataDigest,
  ): Promise<UsageOut> {
    const { runs, versions, twins } = await this.datasets.usage(callerOf(req), dataset_id, digest ?? null);
    return {
      items: runs.items.map(toUsageItemOut),
      total: runs.total,
      model_versions: versions.items.map(toMadeVersionOut),
      model_versions_total: versions.total,
      same_data: twins.items.map(toSameDataOut),
      same_data_total: twins.total,
    };
  }

  /**
   * Reads all files again from storage, at once; an unchanged dataset freezes with the same digest.
   * @summary Validate a dataset again
   */
  @Post('{dataset_id}/revalidate')
  @Security('user', ['DATASET_WRITE'])
  @Extension('x-long-work', true)
  @Response<ErrorOut>(409, 'It has no files')
  async revalidate(@Request() req: ExRequest, @Path() dataset_id: DatasetId): Promise<DatasetOut> {
    return toDatasetOut(await this.datasets.revalidate(callerOf(req), dataset_id));
  }

  /**
   * Reads the annotation files again, matches them to the images and draws up the report, at once; images are not decoded
   * again. Answers when that is done, or after 5 seconds with the dataset as it is; its validation goes on.
   * @summary Match annotations and images again
   */
  @Post('{dataset_id}/revalidate-annotations')
  @Security('user', ['DATASET_WRITE'])
  @Extension('x-long-work', true)
  @Response<ErrorOut>(409, 'It has no files')
  async revalidateAnnotations(@Request() req: ExRequest, @Path() dataset_id: DatasetId): Promise<DatasetOut> {
    return toDatasetOut(
      await this.datasets.revalidateAnnotations(callerOf(req), dataset_id, whenClientLeaves(req)),
    );
  }
}
