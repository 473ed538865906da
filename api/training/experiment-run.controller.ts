import type { Request as ExRequest } from 'express';
import {
  Controller,
  Get,
  Path,
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
import { sendDownload } from '../http/answers/send-download.js';
import { sendObject } from '../http/answers/send-object.js';
import { callerOf } from '../http/routing/request-context.js';
import { toArtifactEntry } from '../tracker/runs.mapper.js';
import type { ArtifactPath } from '../tracker/runs.schemas.js';
import { toCheckpointOut, toTrackerLink } from './experiment-run.mapper.js';
import type { CheckpointList, ExperimentArtifactList, TrackerLinkOut } from './experiment-run.schemas.js';
import type { ExperimentRunService } from './experiment-run.service.js';
import { toLaunchOut } from './launch.mapper.js';
import type { LaunchOut } from './launch.schemas.js';
import type { LaunchService } from './launch.service.js';
import type { ExperimentId } from './training.schemas.js';

@Route('api/v1/training/experiments/{experiment_id}')
@Tags('training')
export class ExperimentRunController extends Controller {
  constructor(
    private readonly runs: ExperimentRunService,
    private readonly launches: LaunchService,
    private readonly baseUrl: string,
  ) {
    super();
  }

  /**
   * The run of the current attempt, as MLflow's clients find it.
   * @summary Deep link to the tracker run
   */
  @Get('mlflow')
  @Security('user', ['VIEW'])
  async mlflow(@Request() req: ExRequest, @Path() experiment_id: ExperimentId): Promise<TrackerLinkOut> {
    return toTrackerLink(await this.runs.find(callerOf(req), experiment_id), this.baseUrl);
  }

  /**
   * Environment, volumes and pod of the current attempt, for whoever looks for the reason why a training does not begin.
   * Values of secrets are left out.
   * @summary Launch specification of an experiment
   */
  @Get('launch')
  @Security('user', ['VIEW'])
  async launch(@Request() req: ExRequest, @Path() experiment_id: ExperimentId): Promise<LaunchOut> {
    return toLaunchOut(await this.launches.read(callerOf(req), experiment_id));
  }

  /**
   * The newest state that each attempt has stored, newest attempt first.
   * @summary Checkpoints of an experiment
   */
  @Get('checkpoints')
  @Security('user', ['VIEW'])
  async checkpoints(@Request() req: ExRequest, @Path() experiment_id: ExperimentId): Promise<CheckpointList> {
    const { items, next } = await this.runs.checkpoints(callerOf(req), experiment_id);
    return { items: items.map((item) => toCheckpointOut(item, next)), total: items.length };
  }

  /**
   * Lists one level of the current attempt's run.
   * @summary List artifacts of an experiment
   * @param path Base directory, empty for the root
   */
  @Get('artifacts')
  @Security('user', ['VIEW'])
  async artifacts(
    @Request() req: ExRequest,
    @Path() experiment_id: ExperimentId,
    @Query() path: ArtifactPath = '',
  ): Promise<ExperimentArtifactList> {
    const level = await this.runs.artifacts(callerOf(req), experiment_id, path);
    return {
      experiment_id,
      run_id: level.runId,
      path: level.path,
      items: level.items.map(toArtifactEntry),
      total: level.total,
    };
  }

  /**
   * A file as it is, where Range is honoured; a folder as a ZIP.
   * @summary Download artifacts of an experiment
   * @param path A file or folder, empty for all
   */
  @Get('artifacts/download')
  @Security('user', ['VIEW'])
  @Produces('application/octet-stream')
  @SuccessResponse(200, 'The bytes of the file, or a ZIP archive of the folder')
  @Response(206, 'The range that was asked for')
  @Response<ErrorOut>(416, 'The range lies outside the file')
  async download(
    @Request() req: ExRequest,
    @Path() experiment_id: ExperimentId,
    @Query() path: ArtifactPath = '',
  ): Promise<void> {
    const found = await this.runs.download(callerOf(req), experiment_id, path);
    if ('file' in found) await sendObject(req, found.file);
    else await sendDownload(req, found.archive);
  }
}
