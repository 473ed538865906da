import type { Request as ExRequest } from 'express';
import { Controller, Extension, Path, Post, Request, Response, Route, Security, Tags } from '@tsoa/runtime';
import type { ErrorOut } from '../http/answers/error.schemas.js';
import { callerOf } from '../http/routing/request-context.js';
import { toDeploymentOut } from './deployments.mapper.js';
import type { DeploymentId, DeploymentOut } from './deployments.schemas.js';
import type { DeploymentsService } from './deployments.service.js';

/** Each waits up to 5 s until the durable work has followed, and answers the deployment as it is then. */
@Route('api/v1/deployments')
@Tags('deployments')
export class DeploymentControlController extends Controller {
  constructor(private readonly deployments: DeploymentsService) {
    super();
  }

  /**
   * Each device that has begun gets `previous_version`, or where the deployment states none, what was installed on it
   * before. Devices without a version before keep what they have.
   * @summary Roll back to the version before
   */
  @Post('{deployment_id}/rollback')
  @Security('user', ['ROLLBACK'])
  @Response<ErrorOut>(409, 'It has neither succeeded nor failed, or there is no version before')
  async rollback(@Request() req: ExRequest, @Path() deployment_id: DeploymentId): Promise<DeploymentOut> {
    return toDeploymentOut(await this.deployments.control(callerOf(req), deployment_id, 'rollback'));
  }

  /**
   * Devices that have begun go on; the others are not asked until it is resumed.
   * @summary Pause a deployment
   */
  @Post('{deployment_id}/pause')
  @Security('user', ['ROLLBACK', 'DEPLOY'])
  @Response<ErrorOut>(409, 'It is not in progress')
  async pause(@Request() req: ExRequest, @Path() deployment_id: DeploymentId): Promise<DeploymentOut> {
    return toDeploymentOut(await this.deployments.control(callerOf(req), deployment_id, 'pause'));
  }

  /** @summary Resume a paused deployment */
  @Post('{deployment_id}/resume')
  @Security('user', ['ROLLBACK', 'DEPLOY'])
  @Response<ErrorOut>(409, 'It is not paused')
  async resume(@Request() req: ExRequest, @Path() deployment_id: DeploymentId): Promise<DeploymentOut> {
    return toDeploymentOut(await this.deployments.control(callerOf(req), deployment_id, 'resume'));
  }

  /**
   * Devices that have not begun are not asked any more; those that have begun end what they do, unless they are lost: no
   * command of the deployment is delivered again.
   * @summary Abort a deployment
   */
  @Post('{deployment_id}/abort')
  @Security('user', ['ROLLBACK', 'DEPLOY'])
  @Response<ErrorOut>(409, 'It has ended')
  async abort(@Request() req: ExRequest, @Path() deployment_id: DeploymentId): Promise<DeploymentOut> {
    return toDeploymentOut(await this.deployments.control(callerOf(req), deployment_id, 'abort'));
  }

  /** @summary Ask the devices again that failed or were not asked any more */
  @Post('{deployment_id}/retry-failed')
  @Security('user', ['ROLLBACK', 'DEPLOY'])
  @Extension('x-long-work', true)
  @Response<ErrorOut>(
    409,
    'It has not failed, what failed is its rollback, or a device has another deployment to do',
  )
  async retryFailed(@Request() req: ExRequest, @Path() deployment_id: DeploymentId): Promise<DeploymentOut> {
    return toDeploymentOut(await this.deployments.control(callerOf(req), deployment_id, 'retry'));
  }
}
