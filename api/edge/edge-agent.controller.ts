import type { Request as ExRequest } from 'express';
import { Body, Controller, Get, Post, Query, Request, Route, Security, Tags } from '@tsoa/runtime';
import { deviceActorOf, deviceOf } from '../http/routing/request-context.js';
import { toConfigOut } from './devices.mapper.js';
import type { DeviceConfigOut } from './policy.schemas.js';
import type {
  HeartbeatBody,
  HeartbeatReceipt,
  PolicyRevision,
  RegisterBody,
  RegisteredOut,
} from './edge-agent.schemas.js';
import type { EdgeAgentService } from './edge-agent.service.js';

@Route('api/v1/edge')
@Tags('edge')
export class EdgeAgentController extends Controller {
  constructor(private readonly agent: EdgeAgentService) {
    super();
  }

  /**
   * The device is ACTIVE from then on, for as long as its heartbeats come.
   * @summary Say that the device is there, and what it is
   */
  @Post('register')
  @Security('device', [])
  async register(@Request() req: ExRequest, @Body() body: RegisterBody): Promise<RegisteredOut> {
    const device = await this.agent.register(deviceOf(req), deviceActorOf(req), body);
    return { id: device.key, status: device.status, config: toConfigOut(device) };
  }

  /**
   * Stored when it is answered.
   * @summary Send a heartbeat
   */
  @Post('heartbeat')
  @Security('device', ['telemetry:write'])
  async heartbeat(@Request() req: ExRequest, @Body() body: HeartbeatBody): Promise<HeartbeatReceipt> {
    const caller = deviceOf(req);
    const receivedAt = await this.agent.heartbeat(caller, body);
    const { policyRevision } = caller;
    return { status: 'ok', received_at: receivedAt.toISOString(), policy_revision: policyRevision };
  }

  /**
   * Retention, sync and intervals, by the policy of the device, else by its tenant, else by default.
   * @summary Read the policy that the device is to follow
   * @param applied_revision The revision that the device follows already; shown to people
   */
  @Get('config')
  @Security('device', ['config:read'])
  async config(
    @Request() req: ExRequest,
    @Query() applied_revision?: PolicyRevision,
  ): Promise<DeviceConfigOut> {
    return toConfigOut(await this.agent.config(deviceOf(req), applied_revision ?? null));
  }
}
