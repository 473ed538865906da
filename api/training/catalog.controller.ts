import { Readable } from 'node:stream';
import type { Request as ExRequest } from 'express';
import {
  Controller,
  Get,
  Path,
  Produces,
  Queries,
  Query,
  Request,
  Response,
  Route,
  Security,
  Tags,
} from '@tsoa/runtime';
import type { ErrorOut } from '../http/answers/error.schemas.js';
import { callerOf } from '../http/routing/request-context.js';
import type { CatalogService } from './catalog.service.js';
import { toPreviewOut } from './dataset-preview.mapper.js';
import type { DatasetPreviewOut } from './dataset-preview.schemas.js';
import type { DatasetPreviewService } from './dataset-preview.service.js';
import type { PresetList } from './presets.schemas.js';
import type { PresetsService } from './presets.service.js';
import { toCatalogModelOut, toFrameworkOut, toPresetOut, toTrainableDataset } from './training.mapper.js';
import type {
  CatalogModelPage,
  CatalogModelQuery,
  ClassList,
  FrameworkList,
  FrameworkName,
  TrainableModelName,
  TaskList,
  TaskType,
  TrainableDatasetId,
  TrainableDatasetList,
} from './training.schemas.js';

/** As many as the annotation files of a dataset may name. */
const MAX_CLASSES = 10_000;

@Route('api/v1/training')
@Tags('training')
export class TrainingCatalogController extends Controller {
  constructor(
    private readonly catalog: CatalogService,
    private readonly previews: DatasetPreviewService,
    private readonly presetList: PresetsService,
  ) {
    super();
  }

  /**
   * In display order; those this installation cannot train say why.
   * @summary Tasks that models can be trained for
   */
  @Get('catalog/tasks')
  @Security('user', ['VIEW'])
  async tasks(): Promise<TaskList> {
    const items = (await this.catalog.tasks()).map(({ task, availability }) => ({
      ...task,
      ...availability,
    }));
    return { items, total: items.length };
  }

  /**
   * Those this installation cannot run say why.
   * @summary Frameworks for a task
   */
  @Get('catalog/frameworks')
  @Security('user', ['VIEW'])
  async frameworks(@Query() task: TaskType): Promise<FrameworkList> {
    const items = (await this.catalog.frameworks(task)).map(({ framework, availability }) =>
      toFrameworkOut(framework, task, availability),
    );
    return { items, total: items.length };
  }

  /** @summary Models for a task */
  @Get('catalog/models')
  @Security('user', ['VIEW'])
  async models(@Queries() query: CatalogModelQuery): Promise<CatalogModelPage> {
    const { task, framework, ...std } = query;
    const page = await this.catalog.models(task, framework ? framework : null, std);
    return {
      ...page,
      items: page.items.map(toCatalogModelOut),
    };
  }

  /**
   * YAML text, comments included; without a model that of the framework's default.
   * @summary Default hyperparameters
   */
  @Get('catalog/hyperparameters')
  @Security('user', ['VIEW'])
  @Produces('application/yaml')
  async hyperparameters(
    @Request() req: ExRequest,
    @Query() framework: FrameworkName,
    @Query() model: TrainableModelName = '',
  ): Promise<Readable> {
    const text = this.catalog.hyperparameters(framework, model === '' ? null : model);
    req.res?.type('application/yaml; charset=utf-8');
    return Readable.from([text]);
  }

  /** @summary Datasets that can be trained from: FROZEN, with trainable files */
  @Get('datasets')
  @Security('user', ['VIEW'])
  async datasets(@Request() req: ExRequest): Promise<TrainableDatasetList> {
    const { items, total } = await this.catalog.datasets(callerOf(req));
    return { items: items.map(toTrainableDataset), total };
  }

  /**
   * The first 10,000 by name; `total` counts all.
   * @summary Classes of a frozen dataset
   */
  @Get('datasets/{dataset_id}/classes')
  @Security('user', ['VIEW'])
  @Response<ErrorOut>(409, 'The dataset is not FROZEN')
  async classes(
    @Request() req: ExRequest,
    @Path() dataset_id: TrainableDatasetId,
    @Query() task: TaskType,
    @Query() framework: FrameworkName = '',
    @Query() model: TrainableModelName = '',
  ): Promise<ClassList> {
    const classes = await this.catalog.classes(
      callerOf(req),
      dataset_id,
      task,
      framework === '' ? null : framework,
      model === '' ? null : model,
    );
    return {
      items: classes.slice(0, MAX_CLASSES).map(({ name, count }) => ({ name, count })),
      total: classes.length,
      dataset_id,
      task,
    };
  }

  /**
   * Sample images with their annotations, spread over the classes for classification, and how often each class occurs.
   * @summary Look at a frozen dataset as a task sees it
   * @param limit Images at most
   * @isInt limit must be a whole number
   * @minimum limit 1
   * @maximum limit 100
   */
  @Get('datasets/{dataset_id}/preview')
  @Security('user', ['VIEW'])
  @Response<ErrorOut>(409, 'The dataset is not FROZEN')
  async preview(
    @Request() req: ExRequest,
    @Path() dataset_id: TrainableDatasetId,
    @Query() task: TaskType,
    @Query() limit: number = 12,
  ): Promise<DatasetPreviewOut> {
    return toPreviewOut(await this.previews.preview(callerOf(req), dataset_id, task, limit), task);
  }

  /**
   * Those of the installation, then the tenant's own by name, at most 1,000; `total` counts all.
   * @summary Preset experiments
   */
  @Get('presets')
  @Security('user', ['VIEW'])
  async presets(@Request() req: ExRequest): Promise<PresetList> {
    const { items, total } = await this.presetList.list(callerOf(req));
    return { items: items.map(toPresetOut), total };
  }
}
