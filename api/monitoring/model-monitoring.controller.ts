import type { Request as ExRequest } from 'express';
import { Controller, Get, Path, Queries, Query, Request, Route, Security, Tags } from '@tsoa/runtime';
import { callerOf } from '../http/routing/request-context.js';
import type { ModelName } from '../registry/models.schemas.js';
import { toDistributionOut, toPerformanceOut } from './model-monitoring.mapper.js';
import type {
  DistributionOut,
  DistributionQuery,
  PerformanceOut,
  SpanText,
} from './model-monitoring.schemas.js';
import type { ModelMonitoringService } from './model-monitoring.service.js';

@Route('api/v1/models')
@Tags('models')
export class ModelMonitoringController extends Controller {
  constructor(private readonly monitoring: ModelMonitoringService) {
    super();
  }

  /**
   * The share of right predictions by feedback, as a series and for each version with its interval at 95 %. Without feedback
   * `sample_size` is 0.
   * @summary Ground-truth performance of a model
   */
  @Get('{name}/performance')
  @Security('user', ['VIEW'])
  async performance(
    @Request() req: ExRequest,
    @Path() name: ModelName,
    @Query() range?: SpanText,
  ): Promise<PerformanceOut> {
    return toPerformanceOut(await this.monitoring.performance(callerOf(req), name, range));
  }

  /**
   * A histogram of what the version showed within the range beside that of the baseline, with the population stability index
   * and a test. Without records `sample_size` is 0 and `message` says so.
   * @summary Distribution and drift of a model's predictions
   */
  @Get('{name}/distribution')
  @Security('user', ['VIEW'])
  async distribution(
    @Request() req: ExRequest,
    @Path() name: ModelName,
    @Queries() query: DistributionQuery,
  ): Promise<DistributionOut> {
    return toDistributionOut(await this.monitoring.distribution(callerOf(req), name, query));
  }
}
