import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
  Delete,
  Get,
  Path,
  Post,
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
import { toRunCompareOut, toTrackerExperimentOut } from './run-changes.mapper.js';
import type {
  ExperimentCreate,
  RunCompareOut,
  RunIdList,
  TrackerExperimentId,
  TrackerExperimentOut,
} from './run-changes.schemas.js';
import type { RunChangesService } from './run-changes.service.js';
import { toRunOut } from './runs.mapper.js';
import type { RunId, RunOut } from './runs.schemas.js';

@Route('api/v1')
@Tags('experiments')
export class RunChangesController extends Controller {
  constructor(private readonly changes: RunChangesService) {
    super();
  }

  /** @summary Create an experiment of the tracker */
  @Post('experiments')
  @Security('user', ['DEVELOP'])
  @SuccessResponse(201, 'Created')
  @Response<ErrorOut>(409, 'The project has an experiment of this name')
  async createExperiment(
    @Request() req: ExRequest,
    @Body() body: ExperimentCreate,
  ): Promise<TrackerExperimentOut> {
    this.setStatus(201);
    return toTrackerExperimentOut(
      await this.changes.createExperiment(callerOf(req), body.project, body.name),
    );
  }

  /**
   * Removes its runs with their metrics, params, tags and artifacts.
   * @summary Delete an experiment of the tracker
   */
  @Delete('experiments/{experiment_id}')
  @Security('user', ['DEVELOP'])
  @SuccessResponse(204, 'Deleted')
  @Response<ErrorOut>(409, 'A run in it is active, or a model version uses one; detail names them')
  async deleteExperiment(
    @Request() req: ExRequest,
    @Path() experiment_id: TrackerExperimentId,
  ): Promise<void> {
    await this.changes.deleteExperiment(callerOf(req), experiment_id);
  }

  /**
   * Params, last metric values and tags side by side; `differs` says where the runs are not alike.
   * @summary Compare runs
   * @param run_ids Separated by commas
   */
  @Get('runs/compare')
  @Security('user', ['VIEW'])
  async compare(@Request() req: ExRequest, @Query() run_ids: RunIdList): Promise<RunCompareOut> {
    const { comparison, versions } = await this.changes.compare(callerOf(req), run_ids.split(','));
    return toRunCompareOut(comparison, versions);
  }

  /**
   * With its metrics, params, tags and artifacts.
   * @summary Delete a run
   */
  @Delete('runs/{run_id}')
  @Security('user', ['DEVELOP'])
  @SuccessResponse(204, 'Deleted')
  @Response<ErrorOut>(409, 'It is active, or a model version uses it; detail names who')
  async deleteRun(@Request() req: ExRequest, @Path() run_id: RunId): Promise<void> {
    await this.changes.deleteRun(callerOf(req), run_id);
  }

  /**
   * The run of a training is ended by canceling the training; any other becomes KILLED at once. Waits up to 5 s for the end.
   * @summary Terminate an active run
   */
  @Post('runs/{run_id}/terminate')
  @Security('user', ['DEVELOP'])
  @Response<ErrorOut>(409, 'It has ended already')
  async terminate(@Request() req: ExRequest, @Path() run_id: RunId): Promise<RunOut> {
    const { run, versions } = await this.changes.terminate(callerOf(req), run_id);
    return toRunOut(run, versions);
  }
}
