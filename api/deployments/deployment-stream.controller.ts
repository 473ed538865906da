import type { Request as ExRequest } from 'express';
import {
  Controller,
  Extension,
  Get,
  Path,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime';
import type { ErrorOut } from '../http/answers/error.schemas.js';
import { callerOf } from '../http/routing/request-context.js';
import type { EventStreams } from '../streams/event-streams.js';
import type { DeploymentId } from './deployments.schemas.js';
import type { DeploymentsService } from './deployments.service.js';

@Route('api/v1/stream')
@Tags('deployments')
export class DeploymentStreamController extends Controller {
  constructor(
    private readonly deployments: DeploymentsService,
    private readonly streams: EventStreams,
  ) {
    super();
  }

  /**
   * Server-sent events: connected, then `deployment` with its status and progress and `step` whenever a device comes to a
   * step. Nothing is replayed. The stream stays open when the deployment ends: it may be tried again or rolled back.
   * @summary Follow a deployment
   */
  @Get('deployments/{id}')
  @Security('user', ['VIEW'])
  @Extension('x-event-stream', true)
  @SuccessResponse(200, 'The stream')
  @Response<ErrorOut>(429, 'Too many streams are open')
  async follow(@Request() req: ExRequest, @Path() id: DeploymentId): Promise<void> {
    await this.deployments.read(callerOf(req), id);
    await this.streams.openForTenant(req, 'deployments', id.toLowerCase(), 'VIEW');
  }
}
