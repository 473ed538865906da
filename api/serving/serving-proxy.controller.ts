import type { Request as ExRequest } from 'express';
import {
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
import type { ErrorOut } from '../http/answers/error.schemas.js';
import { callerOf } from '../http/routing/request-context.js';
import type { ServingProxy } from './serving-proxy.js';
import type { EndpointName } from './serving.schemas.js';
import type { ServingService } from './serving.service.js';

@Route('api/v1/serving/endpoints/{name}/proxy')
@Tags('serving')
export class ServingProxyController extends Controller {
  constructor(
    private readonly serving: ServingService,
    private readonly proxy: ServingProxy,
  ) {
    super();
  }

  /**
   * `ping`, `health` or `version` of the inference server; its answer passes unchanged.
   * @summary Ask the inference server
   */
  @Get('{path}')
  @Security('user', ['VIEW'])
  @SuccessResponse(200, 'The answer of the inference server')
  @Response<ErrorOut>(502, 'The inference server could not be reached')
  @Response<ErrorOut>(503, 'The endpoint is not RUNNING')
  @Response<ErrorOut>(504, 'The inference server did not answer in time')
  async get(@Request() req: ExRequest, @Path() name: EndpointName, @Path() path: string): Promise<void> {
    await this.forward(req, name, path);
  }

  /**
   * `invocations`: images in, predictions out. Body and answer pass unchanged; the body may have 32 MiB.
   * @summary Send images to the model
   */
  @Post('{path}')
  @Security('user', ['VIEW'])
  @Extension('x-raw-body', 'application/json,image/png,image/jpeg')
  @SuccessResponse(200, 'The answer of the inference server')
  @Response<ErrorOut>(413, 'The body is too large')
  @Response<ErrorOut>(502, 'The inference server could not be reached')
  @Response<ErrorOut>(503, 'The endpoint is not RUNNING')
  @Response<ErrorOut>(504, 'The inference server did not answer in time')
  async post(@Request() req: ExRequest, @Path() name: EndpointName, @Path() path: string): Promise<void> {
    await this.forward(req, name, path);
  }

  private async forward(req: ExRequest, name: string, path: string): Promise<void> {
    this.proxy.assertPath(req, path);
    const caller = callerOf(req);
    const target = await this.serving.target(caller, name);
    await this.proxy.forward(req, path, target, () => void this.serving.reportLost(caller, target.endpoint));
  }
}
