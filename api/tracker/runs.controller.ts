import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
  Get,
  Path,
  Post,
  Produces,
  Query,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime';
import type { ErrorOut } from '../http/answers/error.schemas.js';
import { callerOf } from '../http/routing/request-context.js';
import { sendObject } from '../http/answers/send-object.js';
import type { ArtifactArchiveService } from './artifact-archive.service.js';
import {
  artifactRoot,
  toArtifactEntry,
  toMetricPoint,
  toRegisteredModel,
  toRunOut,
  toTree,
} from './runs.mapper.js';
import type {
  ArtifactListOut,
  ArtifactPath,
  ExperimentTreeOut,
  MetricSeriesOut,
  RegisteredModelOut,
  RegisterRequest,
  RunId,
  RunOut,
} from './runs.schemas.js';
import type { RunsService } from './runs.service.js';
import { sendArchive } from './send-archive.js';

@Route('api/v1')
@Tags('experiments')
export class RunsController extends Controller {
  constructor(
    private readonly runs: RunsService,
    private readonly archives: ArtifactArchiveService,
  ) {
    super();
  }

  /**
   * Projects, their experiments and the latest runs in them.
   * @summary Experiment tree
   * @param max_runs Runs shown in all, the latest first
   * @isInt max_runs must be a whole number
   * @minimum max_runs 1
   * @maximum max_runs 1000
   * @param q Part of the name or the id of a run, or of `project/experiment`; an experiment that has it comes with its runs
   * @maxLength q 200
   */
  @Get('experiments/tree')
  @Security('user', ['VIEW'])
  async tree(
    @Request() req: ExRequest,
    @Query() max_runs: number = 200,
    @Query() q: string = '',
  ): Promise<ExperimentTreeOut> {
    const { experiments, runs, total } = await this.runs.tree(callerOf(req), max_runs, q);
    return { items: toTree(experiments, runs), total, max_runs };
  }

  /** @summary Read a run */
  @Get('runs/{run_id}')
  @Security('user', ['VIEW'])
  async read(@Request() req: ExRequest, @Path() run_id: RunId): Promise<RunOut> {
    const { run, versions } = await this.runs.read(callerOf(req), run_id);
    return toRunOut(run, versions);
  }

  /**
   * Longer series than `max_points` are reduced: of each part of it the first, last, least and greatest value and every NaN
   * are kept. Names may hold `/`, sent as `%2F`.
   * @summary Time series of one metric
   * @minLength name 1
   * @maxLength name 250
   * @param max_points Points at most, NaN apart, and at least 4; 0: the server's default of 1,000
   * @isInt max_points must be a whole number
   * @minimum max_points 0
   * @maximum max_points 10000
   */
  @Get('runs/{run_id}/metrics/{name}')
  @Security('user', ['VIEW'])
  async series(
    @Request() req: ExRequest,
    @Path() run_id: RunId,
    @Path() name: string,
    @Query() max_points: number = 0,
  ): Promise<MetricSeriesOut> {
    const { points, total, maxPoints } = await this.runs.series(callerOf(req), run_id, name, max_points);
    return {
      run_id,
      name,
      points: points.map(toMetricPoint),
      max_points: maxPoints,
      sampled: points.length < total,
      total,
    };
  }

  /**
   * One level only.
   * @summary List artifacts
   * @param path Base directory, empty for the root
   */
  @Get('runs/{run_id}/artifacts')
  @Security('user', ['VIEW'])
  async artifacts(
    @Request() req: ExRequest,
    @Path() run_id: RunId,
    @Query() path: ArtifactPath = '',
  ): Promise<ArtifactListOut> {
    const level = await this.runs.artifacts(callerOf(req), run_id, path);
    return {
      run_id,
      artifact_root: artifactRoot(run_id),
      path: level.path,
      items: level.items.map(toArtifactEntry),
      total: level.total,
    };
  }

  /**
   * The bytes of one file; Range is honoured.
   * @summary Read an artifact
   * @param path File, relative to the root of the run
   * @param download True forces an attachment
   */
  @Get('runs/{run_id}/artifact')
  @Security('user', ['VIEW'])
  @Produces('application/octet-stream')
  @SuccessResponse(200, 'The bytes')
  @Response(206, 'The range that was asked for')
  @Response<ErrorOut>(416, 'The range lies outside the file')
  async artifact(
    @Request() req: ExRequest,
    @Path() run_id: RunId,
    @Query() path: ArtifactPath,
    @Query() download: boolean = false,
  ): Promise<void> {
    await sendObject(req, await this.runs.artifact(callerOf(req), run_id, path, download));
  }

  /**
   * @summary Download artifacts as a ZIP
   * @param path A folder or file, empty for all
   */
  @Get('runs/{run_id}/artifacts/download')
  @Security('user', ['VIEW'])
  @Produces('application/zip')
  @SuccessResponse(200, 'The archive')
  async download(
    @Request() req: ExRequest,
    @Path() run_id: RunId,
    @Query() path: ArtifactPath = '',
  ): Promise<void> {
    await sendArchive(req, (signal) => this.archives.open(callerOf(req), run_id, path, signal));
  }

  /**
   * Makes a model version of what the run logged below `model/`.
   * @summary Register a run as a model version
   */
  @Post('runs/{run_id}/register')
  @Security('user', ['MODEL_REGISTER'])
  @SuccessResponse(201, 'Registered')
  async register(
    @Request() req: ExRequest,
    @Path() run_id: RunId,
    @Body() body: RegisterRequest,
  ): Promise<RegisteredModelOut> {
    this.setStatus(201);
    return toRegisteredModel(await this.runs.register(callerOf(req), run_id, body.model_name));
  }
}
