import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
  Delete,
  Get,
  Patch,
  Path,
  Post,
  Put,
  Queries,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime';
import type { ErrorOut } from '../http/answers/error.schemas.js';
import { callerOf } from '../http/routing/request-context.js';
import type { DeviceRemovalService } from './device-removal.service.js';
import {
  toDeviceOut,
  toFeedQuery,
  toFleetPage,
  toHeartbeatFeed,
  toPolicyChanges,
  toPolicyOut,
  toTokenOut,
} from './devices.mapper.js';
import type {
  DeviceCreate,
  DeviceId,
  DeviceOut,
  DeviceTokenOut,
  DeviceUpdate,
  FeedPageQuery,
  FleetPage,
  FleetQuery,
  HeartbeatFeed,
  OfflineUpdate,
  RemovedOut,
  ScopesUpdate,
} from './devices.schemas.js';
import type { PolicyOut, PolicyUpdate } from './policy.schemas.js';
import type { DevicesService } from './devices.service.js';

@Route('api/v1/edge')
@Tags('edge')
export class DevicesController extends Controller {
  constructor(
    private readonly devices: DevicesService,
    private readonly removals: DeviceRemovalService,
  ) {
    super();
  }

  /**
   * Status is derived: PENDING before the first registration, STALE without a heartbeat for 3 intervals, OFFLINE for 10.
   * @summary List devices with their status and latest snapshot
   */
  @Get('fleet')
  @Security('user', ['VIEW'])
  @Response<ErrorOut>(400, 'Unknown sort key; detail.allowed lists the allowed ones')
  async fleet(@Request() req: ExRequest, @Queries() query: FleetQuery): Promise<FleetPage> {
    const page = await this.devices.fleet(callerOf(req), query);
    return toFleetPage(page);
  }

  /**
   * The token is shown this once; the device sends it as X-Edge-Token.
   * @summary Register a device
   */
  @Post('devices')
  @Security('user', ['SETTINGS'])
  @SuccessResponse(201, 'Created')
  @Response<ErrorOut>(409, 'The id is taken')
  async create(@Request() req: ExRequest, @Body() body: DeviceCreate): Promise<DeviceTokenOut> {
    this.setStatus(201);
    return toTokenOut(await this.devices.create(callerOf(req), body));
  }

  /** @summary Read a device */
  @Get('devices/{device_id}')
  @Security('user', ['VIEW'])
  async read(@Request() req: ExRequest, @Path() device_id: DeviceId): Promise<DeviceOut> {
    return toDeviceOut(await this.devices.read(callerOf(req), device_id));
  }

  /** @summary Change the location of a device */
  @Patch('devices/{device_id}')
  @Security('user', ['SETTINGS'])
  async update(
    @Request() req: ExRequest,
    @Path() device_id: DeviceId,
    @Body() body: DeviceUpdate,
  ): Promise<DeviceOut> {
    return toDeviceOut(await this.devices.relocate(callerOf(req), device_id, body.location));
  }

  /**
   * Its token ends at once. Records that it sent can be read no more and are removed; of very many the last are removed
   * within the hour.
   * @summary Delete a device with all its records
   */
  @Delete('devices/{device_id}')
  @Security('user', ['SETTINGS'])
  async remove(@Request() req: ExRequest, @Path() device_id: DeviceId): Promise<RemovedOut> {
    const isDone = await this.removals.delete(callerOf(req), device_id);
    const message = isDone
      ? 'The device and its records were removed.'
      : 'The device was removed; its records follow.';
    return { status: 'deleted', message };
  }

  /** @summary Read the heartbeats of a device, newest first */
  @Get('devices/{device_id}/logs')
  @Security('user', ['OPERATE'])
  async logs(
    @Request() req: ExRequest,
    @Path() device_id: DeviceId,
    @Queries() query: FeedPageQuery,
  ): Promise<HeartbeatFeed> {
    return toHeartbeatFeed(await this.devices.heartbeats(callerOf(req), device_id, toFeedQuery(query)));
  }

  /**
   * The token before is invalid from then on. The new one has its scopes and lives for 365 days.
   * @summary Replace the token of a device
   */
  @Post('devices/{device_id}/token:rotate')
  @Security('user', ['SETTINGS'])
  async rotate(@Request() req: ExRequest, @Path() device_id: DeviceId): Promise<DeviceTokenOut> {
    return toTokenOut(await this.devices.rotate(callerOf(req), device_id));
  }

  /** @summary Revoke the token of a device */
  @Post('devices/{device_id}/token:revoke')
  @Security('user', ['SETTINGS'])
  async revoke(@Request() req: ExRequest, @Path() device_id: DeviceId): Promise<DeviceOut> {
    return toDeviceOut(await this.devices.revoke(callerOf(req), device_id));
  }

  /** @summary Change what the token of a device may do, without a new token */
  @Patch('devices/{device_id}/token:scopes')
  @Security('user', ['SETTINGS'])
  async scopes(
    @Request() req: ExRequest,
    @Path() device_id: DeviceId,
    @Body() body: ScopesUpdate,
  ): Promise<DeviceOut> {
    return toDeviceOut(await this.devices.changeScopes(callerOf(req), device_id, body.scopes));
  }

  /** @summary Block a device, so that every call with its token is answered with 503, or unblock it */
  @Post('devices/{device_id}/offline')
  @Security('user', ['OPERATE'])
  async offline(
    @Request() req: ExRequest,
    @Path() device_id: DeviceId,
    @Body() body: OfflineUpdate,
  ): Promise<DeviceOut> {
    return toDeviceOut(await this.devices.block(callerOf(req), device_id, body.blocked));
  }

  /** @summary Read the policy of a device */
  @Get('devices/{device_id}/policy')
  @Security('user', ['VIEW'])
  async policy(@Request() req: ExRequest, @Path() device_id: DeviceId): Promise<PolicyOut> {
    return toPolicyOut(await this.devices.read(callerOf(req), device_id));
  }

  /**
   * Every change raises the revision. The answer to the next heartbeat of the device states it, and the device reads its configuration.
   * @summary Change the policy of a device
   */
  @Put('devices/{device_id}/policy')
  @Security('user', ['SETTINGS'])
  async setPolicy(
    @Request() req: ExRequest,
    @Path() device_id: DeviceId,
    @Body() body: PolicyUpdate,
  ): Promise<PolicyOut> {
    return toPolicyOut(await this.devices.setPolicy(callerOf(req), device_id, toPolicyChanges(body)));
  }
}
