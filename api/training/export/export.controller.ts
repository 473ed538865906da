import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
  Extension,
  Get,
  Path,
  Post,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime';
import type { ErrorOut } from '../../http/answers/error.schemas.js';
import { callerOf } from '../../http/routing/request-context.js';
import type { ExportConfig } from '../experiment-config.schemas.js';
import type { ExperimentId } from '../training.schemas.js';
import { toExportOut } from './export.mapper.js';
import type { ExportList, ExportOut } from './export.schemas.js';
import type { ExportService } from './export.service.js';

@Route('api/v1/training/experiments/{experiment_id}')
@Tags('training')
export class ExportController extends Controller {
  constructor(private readonly exports: ExportService) {
    super();
  }

  /**
   * Writes the trained model in formats of other programs, compares each in numbers with the trained model, and keeps them
   * among the artifacts of its run, below `export/`. Without `formats` the first one that its framework writes; `enabled` says
   * nothing here.
   * @summary Export a finished experiment
   */
  @Post('export')
  @Security('user', ['DEVELOP'])
  @Extension('x-long-work', true)
  @SuccessResponse(202, 'Accepted')
  @Response<ErrorOut>(409, 'It has not succeeded, has no stored model, or is being exported already')
  async request(
    @Request() req: ExRequest,
    @Path() experiment_id: ExperimentId,
    @Body() body: ExportConfig,
  ): Promise<ExportOut> {
    this.setStatus(202);
    return toExportOut(await this.exports.request(callerOf(req), experiment_id, body));
  }

  /**
   * Newest first, at most 1,000; `total` counts all.
   * @summary Exports of an experiment
   */
  @Get('exports')
  @Security('user', ['VIEW'])
  async exportList(@Request() req: ExRequest, @Path() experiment_id: ExperimentId): Promise<ExportList> {
    const { items, total } = await this.exports.list(callerOf(req), experiment_id);
    return { items: items.map(toExportOut), total };
  }

  /**
   * The platform stops it a little later: the state becomes CANCELED once the process has ended.
   * @summary Cancel the export of an experiment
   */
  @Post('export/cancel')
  @Security('user', ['OPERATE'])
  @SuccessResponse(202, 'Accepted')
  @Response<ErrorOut>(409, 'Nothing is being exported')
  async cancel(@Request() req: ExRequest, @Path() experiment_id: ExperimentId): Promise<ExportOut> {
    this.setStatus(202);
    return toExportOut(await this.exports.cancel(callerOf(req), experiment_id));
  }
}
