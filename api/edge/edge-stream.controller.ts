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
import { accessOf, callerOf } from '../http/routing/request-context.js';
import type { EventStreams } from '../streams/event-streams.js';
import type { DeviceId } from './devices.schemas.js';
import type { DevicesService } from './devices.service.js';
import { deletedEvent } from './edge-events.js';

@Route('api/v1/stream')
@Tags('edge')
export class EdgeStreamController extends Controller {
  constructor(
    private readonly devices: DevicesService,
    private readonly streams: EventStreams,
  ) {
    super();
  }

  /**
   * Server-sent events: connected, then heartbeat, telemetry, inference, command and upload whenever the device did so, and
   * deleted with its end. Nothing is replayed.
   * @summary Follow a device
   */
  @Get('edge/{device_id}')
  @Security('user', ['VIEW'])
  @Extension('x-event-stream', true)
  @SuccessResponse(200, 'The stream')
  @Response<ErrorOut>(429, 'Too many streams are open')
  async follow(@Request() req: ExRequest, @Path() device_id: DeviceId): Promise<void> {
    const caller = callerOf(req);
    await this.devices.read(caller, device_id);
    const deleted = deletedEvent({ tenantId: accessOf(req).tenantId, key: device_id });
    await this.streams.openForTenant(req, 'edge', device_id, 'VIEW', {
      find: async () => ((await this.devices.exists(caller, device_id)) ? null : deleted),
      isLast: ({ event }) => event === deleted.event,
    });
  }
}
