import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
  Delete,
  Get,
  Path,
  Post,
  Produces,
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
import type { InstantText } from '../http/routing/parameters.js';
import { callerOf } from '../http/routing/request-context.js';
import { sendDownload } from '../http/answers/send-download.js';
import {
  toInstant,
  toModelOut,
  toStageChangeOut,
  toSummaryOut,
  toVersionDetail,
  toVersionOut,
} from './models.mapper.js';
import type {
  ModelListQuery,
  ModelName,
  ModelPage,
  ModelSummaryOut,
  ModelVersionDetail,
  ModelVersionOut,
  ModelVersionPage,
  StageChange,
  StageHistoryOut,
  VersionListQuery,
  VersionNumber,
} from './models.schemas.js';
import type { ModelsService, VersionView } from './models.service.js';
import { toCompareOut } from './version-compare.mapper.js';
import type { VersionCompareOut } from './version-compare.schemas.js';
import type { VersionCompareService } from './version-compare.service.js';

@Route('api/v1/models')
@Tags('models')
export class ModelsController extends Controller {
  constructor(
    private readonly models: ModelsService,
    private readonly comparisons: VersionCompareService,
  ) {
    super();
  }

  /** @summary Stage matrix: models with their versions by stage */
  @Get()
  @Security('user', ['VIEW'])
  @Response<ErrorOut>(400, 'Unknown sort key; detail.allowed lists the allowed ones')
  async list(@Request() req: ExRequest, @Queries() query: ModelListQuery): Promise<ModelPage> {
    const page = await this.models.list(callerOf(req), query);
    return { ...page, items: page.items.map(toModelOut) };
  }

  /** @summary Count versions by stage */
  @Get('summary')
  @Security('user', ['VIEW'])
  async summary(@Request() req: ExRequest): Promise<ModelSummaryOut> {
    return toSummaryOut(await this.models.summary(callerOf(req)));
  }

  /** @summary List the versions of a model, newest first */
  @Get('{name}/versions')
  @Security('user', ['VIEW'])
  async versions(
    @Request() req: ExRequest,
    @Path() name: ModelName,
    @Queries() query: VersionListQuery,
  ): Promise<ModelVersionPage> {
    const page = await this.models.versions(callerOf(req), name, query);
    return { ...page, items: page.items.map((view) => this.out(view)) };
  }

  /** @summary Read a version */
  @Get('{name}/versions/{version}')
  @Security('user', ['VIEW'])
  async version(
    @Request() req: ExRequest,
    @Path() name: ModelName,
    @Path() version: VersionNumber,
  ): Promise<ModelVersionDetail> {
    const found = await this.models.version(callerOf(req), name, version);
    return toVersionDetail(this.out(found), found.lineage);
  }

  /**
   * Metrics, params, signature, classes and files, side by side.
   * @summary Compare two versions of a model
   */
  @Get('{name}/compare')
  @Security('user', ['VIEW'])
  async compare(
    @Request() req: ExRequest,
    @Path() name: ModelName,
    @Query() from: VersionNumber,
    @Query() to: VersionNumber,
  ): Promise<VersionCompareOut> {
    const comparison = await this.comparisons.compare(callerOf(req), name, from, to);
    return toCompareOut(comparison, this.models.registryHost);
  }

  /**
   * Every change of a stage: who, when, why, from, to.
   * @summary Stage history, and who was in Production at a time
   * @param at The time that is asked about, now when left out; ISO 8601, without an offset UTC
   */
  @Get('{name}/stage-history')
  @Security('user', ['VIEW'])
  async stageHistory(
    @Request() req: ExRequest,
    @Path() name: ModelName,
    @Query() at?: InstantText,
  ): Promise<StageHistoryOut> {
    const asked = toInstant('at', at);
    const { items, total, production } = await this.models.stageHistory(callerOf(req), name, asked);
    return {
      items: items.map(toStageChangeOut),
      total,
      at: (asked ?? new Date()).toISOString(),
      production: production && { version: production.version, since: production.since.toISOString() },
    };
  }

  /**
   * The model's file, or a ZIP of the model folder when it has several.
   * @summary Download a version
   */
  @Get('{name}/{version}/download')
  @Security('user', ['VIEW'])
  @Produces('application/octet-stream')
  @SuccessResponse(200, 'The bytes')
  async download(
    @Request() req: ExRequest,
    @Path() name: ModelName,
    @Path() version: VersionNumber,
  ): Promise<void> {
    await sendDownload(req, await this.models.download(callerOf(req), name, version));
  }

  /**
   * Archived, Staging or None. Production is reached by promotion and answered with 422 here.
   * @summary Change the stage of a version
   */
  @Post('{name}/{version}/stage')
  @Security('user', ['STAGING_PROMOTE'])
  async changeStage(
    @Request() req: ExRequest,
    @Path() name: ModelName,
    @Path() version: VersionNumber,
    @Body() body: StageChange,
  ): Promise<ModelVersionOut> {
    return this.out(await this.models.changeStage(callerOf(req), name, version, body.stage));
  }

  /** @summary Delete a version */
  @Delete('{name}/{version}')
  @Security('user', ['MODEL_REGISTER'])
  @SuccessResponse(204, 'Deleted')
  @Response<ErrorOut>(
    409,
    'In Production, served, packed, promoted or trained on from; detail.users names users and users_total counts them',
  )
  async deleteVersion(
    @Request() req: ExRequest,
    @Path() name: ModelName,
    @Path() version: VersionNumber,
  ): Promise<void> {
    await this.models.deleteVersion(callerOf(req), name, version);
  }

  /** @summary Delete a model with all its versions */
  @Delete('{name}')
  @Security('user', ['MODEL_REGISTER'])
  @SuccessResponse(204, 'Deleted')
  @Response<ErrorOut>(
    409,
    'A version is in Production, served, packed, promoted or trained on from; detail.users names users and users_total counts them',
  )
  async deleteModel(@Request() req: ExRequest, @Path() name: ModelName): Promise<void> {
    await this.models.deleteModel(callerOf(req), name);
  }

  private out(view: VersionView): ModelVersionOut {
    return toVersionOut(view.version, view.image, this.models.registryHost);
  }
}
