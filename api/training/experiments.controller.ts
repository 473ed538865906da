import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
  Delete,
  Extension,
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
import { sendObject } from '../http/answers/send-object.js';
import { callerOf } from '../http/routing/request-context.js';
import type { EventStreams } from '../streams/event-streams.js';
import type { ConfigCheckOut, ExperimentConfig } from './experiment-config.schemas.js';
import type { ExperimentLogService } from './experiment-log.service.js';
import type {
  ExperimentDeletedOut,
  ExperimentDetailOut,
  ExperimentListQuery,
  ExperimentMetricsOut,
  ExperimentPage,
  ExperimentRetry,
  StepList,
} from './experiments.schemas.js';
import { toEstimateOut } from './estimate.mapper.js';
import type { EstimateOut } from './estimate.schemas.js';
import type { ExperimentsService, ExperimentWithSteps } from './experiments.service.js';
import type { ForecastService } from './forecast.service.js';
import { toCurve, toExperimentDetail, toExperimentOut, toFindings } from './training.mapper.js';
import type { ExperimentId } from './training.schemas.js';

@Route('api/v1/training/experiments')
@Tags('training')
export class ExperimentsController extends Controller {
  constructor(
    private readonly experiments: ExperimentsService,
    private readonly forecasts: ForecastService,
    private readonly logs: ExperimentLogService,
    private readonly streams: EventStreams,
  ) {
    super();
  }

  /** @summary List experiments */
  @Get()
  @Security('user', ['VIEW'])
  async list(@Request() req: ExRequest, @Queries() query: ExperimentListQuery): Promise<ExperimentPage> {
    const { status, ...std } = query;
    const page = await this.experiments.list(callerOf(req), status ? status : null, std);
    return { ...page, items: page.items.map(toExperimentOut) };
  }

  /**
   * Checks the config fully before anything starts.
   * @summary Start an experiment
   * @param preset The preset the config was made from; kept for statistics
   * @maxLength preset 128
   */
  @Post()
  @Security('user', ['DEVELOP'])
  @Extension('x-long-work', true)
  @SuccessResponse(202, 'Accepted')
  async create(
    @Request() req: ExRequest,
    @Body() body: ExperimentConfig,
    @Query() preset: string = '',
  ): Promise<ExperimentDetailOut> {
    this.setStatus(202);
    const created = await this.experiments.create(callerOf(req), body, preset === '' ? null : preset);
    return this.detail(req, created);
  }

  /** @summary Check a config without starting it */
  @Post(':validate')
  @Security('user', ['DEVELOP'])
  async validate(@Request() req: ExRequest, @Body() body: ExperimentConfig): Promise<ConfigCheckOut> {
    const { errors, warnings } = await this.experiments.validate(callerOf(req), body);
    return { valid: errors.length === 0, errors: toFindings(errors), warnings: toFindings(warnings) };
  }

  /**
   * GPU slots, memory and duration, and when it would begin if it were started now. A config that is wrong is refused as when
   * it is started.
   * @summary Estimate what a config takes
   */
  @Post(':estimate')
  @Security('user', ['DEVELOP'])
  async estimate(@Request() req: ExRequest, @Body() body: ExperimentConfig): Promise<EstimateOut> {
    return toEstimateOut(await this.forecasts.estimate(callerOf(req), body, this.experiments));
  }

  /** @summary Read an experiment with its config and plan */
  @Get('{experiment_id}')
  @Security('user', ['VIEW'])
  async read(@Request() req: ExRequest, @Path() experiment_id: ExperimentId): Promise<ExperimentDetailOut> {
    return this.detail(req, await this.experiments.read(callerOf(req), experiment_id));
  }

  /**
   * Terminal experiments only. The tracker run stays.
   * @summary Delete an experiment
   */
  @Delete('{experiment_id}')
  @Security('user', ['OPERATE'])
  @Response<ErrorOut>(409, 'The experiment has not ended')
  async remove(
    @Request() req: ExRequest,
    @Path() experiment_id: ExperimentId,
  ): Promise<ExperimentDeletedOut> {
    await this.experiments.delete(callerOf(req), experiment_id);
    return {
      status: 'deleted',
      message: 'The experiment is deleted; its run stays in the tracker.',
      id: experiment_id,
    };
  }

  /**
   * The platform stops it a little later: the state becomes CANCELED once the process has ended.
   * @summary Cancel an experiment
   */
  @Post('{experiment_id}/cancel')
  @Security('user', ['OPERATE'])
  @SuccessResponse(202, 'Accepted')
  @Response<ErrorOut>(409, 'The experiment has ended')
  async cancel(@Request() req: ExRequest, @Path() experiment_id: ExperimentId): Promise<ExperimentDetailOut> {
    this.setStatus(202);
    return this.detail(req, await this.experiments.cancel(callerOf(req), experiment_id));
  }

  /**
   * Begins a new attempt of an experiment that is FAILED or CANCELED, with the same config and the same frozen data, and a
   * tracker run of its own. With `resume` it goes on from the newest checkpoint that an earlier attempt stored, if there is one.
   * @summary Try an experiment again
   */
  @Post('{experiment_id}/retry')
  @Security('user', ['DEVELOP'])
  @Extension('x-long-work', true)
  @SuccessResponse(202, 'Accepted')
  @Response<ErrorOut>(409, 'The experiment has not ended, or has succeeded')
  async retry(
    @Request() req: ExRequest,
    @Path() experiment_id: ExperimentId,
    @Body() body?: ExperimentRetry,
  ): Promise<ExperimentDetailOut> {
    this.setStatus(202);
    const retried = await this.experiments.retry(callerOf(req), experiment_id, body?.resume ?? true);
    return this.detail(req, retried);
  }

  /**
   * Status, progress and message of each step; of those that wait or train also why, the place in the queue, and when they are
   * expected to begin and to end.
   * @summary Plan of an experiment
   */
  @Get('{experiment_id}/steps')
  @Security('user', ['VIEW'])
  async steps(@Request() req: ExRequest, @Path() experiment_id: ExperimentId): Promise<StepList> {
    const found = await this.experiments.read(callerOf(req), experiment_id);
    const { steps } = await this.detail(req, found);
    return { items: steps, total: steps.length, attempt: found.experiment.attempt };
  }

  /**
   * As far as it is written; Range is honoured.
   * @summary Training log as a text file
   */
  @Get('{experiment_id}/log')
  @Security('user', ['VIEW'])
  @Produces('text/plain')
  @SuccessResponse(200, 'The log')
  @Response(206, 'The range that was asked for')
  @Response<ErrorOut>(416, 'The range lies outside what is written')
  async log(@Request() req: ExRequest, @Path() experiment_id: ExperimentId): Promise<void> {
    await sendObject(req, await this.logs.open(callerOf(req), experiment_id));
  }

  /**
   * Server-sent events: connected, then log, step, progress, metrics and experiment. Nothing is replayed. After the state in
   * which the experiment ends the stream ends too; that of an experiment that has ended sends its state and ends.
   * @summary Follow an experiment
   */
  @Get('{experiment_id}/logs')
  @Security('user', ['VIEW'])
  @Extension('x-event-stream', true)
  @SuccessResponse(200, 'The stream')
  @Response<ErrorOut>(429, 'Too many streams are open')
  async follow(@Request() req: ExRequest, @Path() experiment_id: ExperimentId): Promise<void> {
    const ending = await this.experiments.ending(callerOf(req), experiment_id);
    await this.streams.openForTenant(req, 'experiment-logs', experiment_id.toLowerCase(), 'VIEW', ending);
  }

  /**
   * @summary Curves of an experiment
   * @param keys Metric names, comma-separated; empty: a default selection
   * @maxLength keys 10000
   * @param max_points Points of each curve at most, NaN apart, and at least 4; 0: the server's default of 1,000
   * @isInt max_points must be a whole number
   * @minimum max_points 0
   * @maximum max_points 10000
   */
  @Get('{experiment_id}/metrics')
  @Security('user', ['VIEW'])
  async metrics(
    @Request() req: ExRequest,
    @Path() experiment_id: ExperimentId,
    @Query() keys: string = '',
    @Query() max_points: number = 0,
  ): Promise<ExperimentMetricsOut> {
    const wanted = keys
      .split(',')
      .map((key) => key.trim())
      .filter((key) => key !== '');
    const {
      runId,
      maxPoints,
      keys: known,
      curves,
    } = await this.experiments.metrics(callerOf(req), experiment_id, wanted, max_points);
    const items = [...curves].map(([key, series]) => toCurve(key, series));
    return {
      experiment_id,
      run_id: runId,
      max_points: maxPoints,
      keys: [...known],
      items,
      total: items.length,
    };
  }

  private async detail(
    req: ExRequest,
    { experiment, steps }: ExperimentWithSteps,
  ): Promise<ExperimentDetailOut> {
    const forecasts = await this.forecasts.ofExperiment(callerOf(req), experiment, steps);
    return toExperimentDetail(experiment, steps, forecasts);
  }
}
