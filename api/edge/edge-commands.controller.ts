import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
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
import { expressAuthentication } from '../auth/authentication.js';
import type { ErrorOut } from '../http/answers/error.schemas.js';
import { whenClosed } from '../http/answers/when-closed.js';
import type { Uuid } from '../http/routing/parameters.js';
import { callerOf, deviceOf, whenClientLeaves } from '../http/routing/request-context.js';
import type { DeviceId } from './devices.schemas.js';
import { toCommandOut, toDeliveredOut } from './edge-commands.mapper.js';
import type {
  CommandAck,
  CommandCreate,
  CommandOut,
  CommandPage,
  CommandQuery,
  DeliveredCommandsOut,
  WaitSeconds,
} from './edge-commands.schemas.js';
import type { EdgeCommandsService } from './edge-commands.service.js';

const SCOPES = ['commands:read'];

@Route('api/v1/edge')
@Tags('edge')
export class EdgeCommandsController extends Controller {
  constructor(private readonly commands: EdgeCommandsService) {
    super();
  }

  /** @summary List the commands of a device with their results, newest first */
  @Get('devices/{device_id}/commands')
  @Security('user', ['VIEW'])
  async list(
    @Request() req: ExRequest,
    @Path() device_id: DeviceId,
    @Queries() query: CommandQuery,
  ): Promise<CommandPage> {
    const page = await this.commands.list(callerOf(req), device_id, query);
    return { ...page, items: page.items.map(toCommandOut) };
  }

  /**
   * Fetched by the device on its next poll, at once where one is open.
   * @summary Give a command to a device
   */
  @Post('devices/{device_id}/commands')
  @Security('user', ['OPERATE'])
  @SuccessResponse(201, 'Created')
  @Response<ErrorOut>(409, 'The device has 1,000 commands waiting')
  async create(
    @Request() req: ExRequest,
    @Path() device_id: DeviceId,
    @Body() body: CommandCreate,
  ): Promise<CommandOut> {
    this.setStatus(201);
    return toCommandOut(await this.commands.create(callerOf(req), device_id, body));
  }

  /**
   * A command of the type `restart`, which expires after an hour. One that the device has not fetched yet is answered: it is
   * given once.
   * @summary Have a device restart
   */
  @Post('devices/{device_id}/restart')
  @Security('user', ['OPERATE'])
  @Response<ErrorOut>(409, 'The device has 1,000 commands waiting')
  async restart(@Request() req: ExRequest, @Path() device_id: DeviceId): Promise<CommandOut> {
    return toCommandOut(await this.commands.restart(callerOf(req), device_id));
  }

  /**
   * Each is delivered to one poll, and again where it is not acknowledged before its lease runs out.
   * @summary Fetch pending commands, waiting for one where there is none
   * @param wait Seconds for which the answer is held while there is none
   */
  @Get('commands')
  @Security('device', ['commands:read'])
  async poll(@Request() req: ExRequest, @Query() wait: WaitSeconds = 0): Promise<DeliveredCommandsOut> {
    const recheck = () => expressAuthentication(req, 'device', SCOPES);
    req.context.endsByItself = true;
    const commands = await this.commands.poll(deviceOf(req), wait, whenClientLeaves(req), recheck);
    const { res } = req;
    whenClosed(res, () => {
      if (!res?.writableFinished) void this.commands.giveBack(commands).catch(() => undefined);
    });
    return toDeliveredOut(commands);
  }

  /**
   * A second final acknowledgement changes nothing and is answered with the first.
   * @summary Acknowledge a command, or say how far it is
   */
  @Post('commands/{command_id}:ack')
  @Security('device', ['commands:read'])
  @Response<ErrorOut>(409, 'The command has expired')
  async acknowledge(
    @Request() req: ExRequest,
    @Path() command_id: Uuid,
    @Body() body: CommandAck,
  ): Promise<CommandOut> {
    return toCommandOut(await this.commands.acknowledge(deviceOf(req), command_id, body));
  }
}
