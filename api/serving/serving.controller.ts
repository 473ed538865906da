import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
  Delete,
  Extension,
  Get,
  Patch,
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
import type { DataDigest } from '../http/routing/parameters.js';
import { callerOf } from '../http/routing/request-context.js';
import { sendObject } from '../http/answers/send-object.js';
import type { EndpointLogService } from './endpoint-log.service.js';
import { toEndpointOut } from './serving.mapper.js';
import type {
  CreateEndpointBody,
  EndpointDeletion,
  EndpointList,
  EndpointLogs,
  EndpointName,
  EndpointOut,
  UpdateEndpointBody,
} from './serving.schemas.js';
import type { ServingService } from './serving.service.js';

@Route('api/v1/serving/endpoints')
@Tags('serving')
export class ServingController extends Controller {
  constructor(
    private readonly serving: ServingService,
    private readonly endpointLogs: EndpointLogService,
  ) {
    super();
  }

  /**
   * @summary List serving endpoints by name
   * @param dataset_digest Only endpoints that serve a version made from data with this digest
   */
  @Get()
  @Security('user', ['VIEW'])
  async list(@Request() req: ExRequest, @Query() dataset_digest?: DataDigest): Promise<EndpointList> {
    const { items, total } = await this.serving.list(callerOf(req), dataset_digest ?? null);
    return { items: items.map((endpoint) => toEndpointOut(endpoint, this.serving.places)), total };
  }

  /** @summary Create a serving endpoint */
  @Post()
  @Security('user', ['DEPLOY'])
  @Extension('x-long-work', true)
  @SuccessResponse(201, 'Created; it comes up by itself')
  @Response<ErrorOut>(409, 'The name is taken, the image is not READY, or GPU slots are not wired')
  async create(@Request() req: ExRequest, @Body() body: CreateEndpointBody): Promise<EndpointOut> {
    this.setStatus(201);
    return toEndpointOut(await this.serving.create(callerOf(req), body), this.serving.places);
  }

  /** @summary Read a serving endpoint */
  @Get('{name}')
  @Security('user', ['VIEW'])
  async read(@Request() req: ExRequest, @Path() name: EndpointName): Promise<EndpointOut> {
    return toEndpointOut(await this.serving.read(callerOf(req), name), this.serving.places);
  }

  /** @summary Change the number of replicas */
  @Patch('{name}')
  @Security('user', ['OPERATE'])
  @Response<ErrorOut>(409, 'It is being deleted')
  async update(
    @Request() req: ExRequest,
    @Path() name: EndpointName,
    @Body() body: UpdateEndpointBody,
  ): Promise<EndpointOut> {
    return toEndpointOut(await this.serving.scale(callerOf(req), name, body.replicas), this.serving.places);
  }

  /**
   * Removes workload, credential and row. Answers `deleting` when that takes longer than five seconds; a repeat is harmless.
   * @summary Delete a serving endpoint
   */
  @Delete('{name}')
  @Security('user', ['DEPLOY'])
  async remove(@Request() req: ExRequest, @Path() name: EndpointName): Promise<EndpointDeletion> {
    const isGone = await this.serving.remove(callerOf(req), name);
    return isGone
      ? { status: 'deleted', message: 'The endpoint is gone.', name }
      : { status: 'deleting', message: 'The endpoint is being removed.', name };
  }

  /**
   * Waits up to five seconds for STOPPED and answers the endpoint as it is.
   * @summary Stop a serving endpoint
   */
  @Post('{name}/stop')
  @Security('user', ['OPERATE'])
  @Response<ErrorOut>(409, 'STOPPED already')
  async stop(@Request() req: ExRequest, @Path() name: EndpointName): Promise<EndpointOut> {
    return toEndpointOut(await this.serving.stop(callerOf(req), name), this.serving.places);
  }

  /**
   * Waits up to five seconds for CONNECTING and answers the endpoint as it is.
   * @summary Start a STOPPED or FAILED serving endpoint
   */
  @Post('{name}/start')
  @Security('user', ['OPERATE'])
  @Extension('x-long-work', true)
  @Response<ErrorOut>(409, 'Neither STOPPED nor FAILED')
  async start(@Request() req: ExRequest, @Path() name: EndpointName): Promise<EndpointOut> {
    return toEndpointOut(await this.serving.start(callerOf(req), name), this.serving.places);
  }

  /**
   * The end of what an instance printed.
   * @summary Read the log tail
   * @param instance 0-based
   * @isInt instance must be a whole number
   * @minimum instance 0
   * @maximum instance 31
   * @isInt max_bytes must be a whole number
   * @minimum max_bytes 1
   * @maximum max_bytes 1048576
   */
  @Get('{name}/logs')
  @Security('user', ['VIEW'])
  async logs(
    @Request() req: ExRequest,
    @Path() name: EndpointName,
    @Query() instance: number = 0,
    @Query() max_bytes: number = 65_536,
  ): Promise<EndpointLogs> {
    return { name, instance, text: await this.endpointLogs.tail(callerOf(req), name, instance, max_bytes) };
  }

  /**
   * All that an instance has printed, through restarts, as far as the tenant keeps logs; of more than 256 MiB the last ones.
   * Range is honoured.
   * @summary Log of an instance as a text file
   * @param instance 0-based
   * @isInt instance must be a whole number
   * @minimum instance 0
   * @maximum instance 31
   */
  @Get('{name}/log')
  @Security('user', ['VIEW'])
  @Produces('text/plain')
  @SuccessResponse(200, 'The log')
  @Response(206, 'The range that was asked for')
  @Response<ErrorOut>(416, 'The range lies outside what is written')
  async log(
    @Request() req: ExRequest,
    @Path() name: EndpointName,
    @Query() instance: number = 0,
  ): Promise<void> {
    await sendObject(req, await this.endpointLogs.open(callerOf(req), name, instance));
  }

  /**
   * Has the inference server checked once, now, and answers the refreshed endpoint.
   * @summary Check a serving endpoint
   */
  @Post('{name}/heartbeat')
  @Security('user', ['OPERATE'])
  async heartbeat(@Request() req: ExRequest, @Path() name: EndpointName): Promise<EndpointOut> {
    return toEndpointOut(await this.serving.heartbeat(callerOf(req), name), this.serving.places);
  }
}
