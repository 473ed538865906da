import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
  Extension,
  Get,
  Path,
  Post,
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
import { callerOf } from '../http/routing/request-context.js';
import { toDeploymentDeviceOut, toDeploymentLogList, toDeploymentOut } from './deployments.mapper.js';
import type {
  DeploymentDevicePage,
  DeploymentDeviceQuery,
  DeploymentLogList,
  DeploymentLogQuery,
} from './deployment-devices.schemas.js';
import type {
  DeploymentCreate,
  DeploymentId,
  DeploymentList,
  DeploymentOut,
  DeploymentPage,
  DeploymentQuery,
} from './deployments.schemas.js';
import type { DeploymentsService } from './deployments.service.js';

@Route('api/v1/deployments')
@Tags('deployments')
export class DeploymentsController extends Controller {
  constructor(private readonly deployments: DeploymentsService) {
    super();
  }

  /**
   * The newest first, without pages.
   * @summary Recent deployments
   * @param limit How many at most
   * @isInt limit must be a whole number
   * @minimum limit 1
   * @maximum limit 200
   */
  @Get('recent')
  @Security('user', ['VIEW'])
  async recent(@Request() req: ExRequest, @Query() limit = 10): Promise<DeploymentList> {
    const { items, total } = await this.deployments.list(callerOf(req), { page: 1, page_size: limit });
    return { items: items.map(toDeploymentOut), total };
  }

  /** @summary List deployments, newest first */
  @Get()
  @Security('user', ['VIEW'])
  async list(@Request() req: ExRequest, @Queries() query: DeploymentQuery): Promise<DeploymentPage> {
    const page = await this.deployments.list(callerOf(req), query);
    return { ...page, items: page.items.map(toDeploymentOut) };
  }

  /**
   * To one device, to a selection, or to all devices of the tenant. Devices are asked group by group with a command of the
   * type `deploy`, which a device that is off gets when it returns; what they report moves their steps. A device does one
   * deployment of a model at a time.
   * @summary Deploy a version of a model to devices
   */
  @Post()
  @Security('user', ['DEPLOY'])
  @Extension('x-long-work', true)
  @SuccessResponse(201, 'Created')
  @Response<ErrorOut>(
    409,
    'One of the devices still has a deployment of the model to do; the detail names both',
  )
  async create(@Request() req: ExRequest, @Body() body: DeploymentCreate): Promise<DeploymentOut> {
    this.setStatus(201);
    return toDeploymentOut(await this.deployments.create(callerOf(req), body));
  }

  /** @summary Read a deployment with its groups and steps */
  @Get('{deployment_id}')
  @Security('user', ['VIEW'])
  async read(@Request() req: ExRequest, @Path() deployment_id: DeploymentId): Promise<DeploymentOut> {
    return toDeploymentOut(await this.deployments.read(callerOf(req), deployment_id));
  }

  /** @summary List the devices of a deployment, by group and id */
  @Get('{deployment_id}/devices')
  @Security('user', ['VIEW'])
  async devices(
    @Request() req: ExRequest,
    @Path() deployment_id: DeploymentId,
    @Queries() query: DeploymentDeviceQuery,
  ): Promise<DeploymentDevicePage> {
    const page = await this.deployments.devices(callerOf(req), deployment_id, query);
    return { ...page, items: page.items.map(toDeploymentDeviceOut) };
  }

  /**
   * The latest lines, oldest first; `next_cursor` leads to the ones before them.
   * @summary Log of a deployment
   */
  @Get('{deployment_id}/logs')
  @Security('user', ['OPERATE'])
  async logs(
    @Request() req: ExRequest,
    @Path() deployment_id: DeploymentId,
    @Queries() query: DeploymentLogQuery,
  ): Promise<DeploymentLogList> {
    return toDeploymentLogList(await this.deployments.log(callerOf(req), deployment_id, query));
  }
}
