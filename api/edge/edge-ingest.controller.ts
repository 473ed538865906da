import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
  Extension,
  Get,
  Header,
  Path,
  Post,
  Queries,
  Request,
  Response,
  Route,
  Security,
  Tags,
} from '@tsoa/runtime';
import type { ErrorOut } from '../http/answers/error.schemas.js';
import { callerOf, deviceOf } from '../http/routing/request-context.js';
import { toFeedQuery } from './devices.mapper.js';
import type { DeviceId, FeedPageQuery } from './devices.schemas.js';
import {
  toInference,
  toInferenceFeed,
  toReceipt,
  toTelemetry,
  toTelemetryFeed,
} from './edge-ingest.mapper.js';
import type {
  BatchReceipt,
  IdempotencyKey,
  InferenceBatch,
  InferenceFeed,
  TelemetryBatch,
  TelemetryFeed,
  TelemetryFeedQuery,
} from './edge-ingest.schemas.js';
import type { EdgeIngestService } from './edge-ingest.service.js';

@Route('api/v1/edge')
@Tags('edge')
export class EdgeIngestController extends Controller {
  constructor(private readonly ingest: EdgeIngestService) {
    super();
  }

  /**
   * Stored when it is answered. A repeat of the same key, or without one of the same body, within 48 hours adds nothing and gets
   * the answer of the first.
   * @summary Send telemetry
   */
  @Post('telemetry')
  @Security('device', ['telemetry:write'])
  @Extension('x-body-limit', 'batch')
  @Response<ErrorOut>(413, 'Larger than 5 MiB')
  async addTelemetry(
    @Request() req: ExRequest,
    @Body() body: TelemetryBatch,
    @Header('Idempotency-Key') key?: IdempotencyKey,
  ): Promise<BatchReceipt> {
    return toReceipt(
      await this.ingest.addTelemetry(deviceOf(req), key ?? req.context.bodyHash, toTelemetry(body.records)),
    );
  }

  /**
   * Stored when it is answered. A repeat of the same key, or without one of the same body, within 48 hours adds nothing and gets
   * the answer of the first.
   * @summary Send what models predicted
   */
  @Post('inference')
  @Security('device', ['inference:write'])
  @Extension('x-body-limit', 'batch')
  @Response<ErrorOut>(413, 'Larger than 5 MiB')
  async addInference(
    @Request() req: ExRequest,
    @Body() body: InferenceBatch,
    @Header('Idempotency-Key') key?: IdempotencyKey,
  ): Promise<BatchReceipt> {
    return toReceipt(
      await this.ingest.addInference(deviceOf(req), key ?? req.context.bodyHash, toInference(body.records)),
    );
  }

  /** @summary Read the telemetry of a device, newest first by the time of receipt */
  @Get('devices/{device_id}/telemetry')
  @Security('user', ['VIEW'])
  async telemetry(
    @Request() req: ExRequest,
    @Path() device_id: DeviceId,
    @Queries() query: TelemetryFeedQuery,
  ): Promise<TelemetryFeed> {
    const kind = query.kind ?? null;
    return toTelemetryFeed(await this.ingest.telemetry(callerOf(req), device_id, kind, toFeedQuery(query)));
  }

  /** @summary Read what models predicted on a device, newest first by the time of receipt */
  @Get('devices/{device_id}/inference')
  @Security('user', ['VIEW'])
  async inference(
    @Request() req: ExRequest,
    @Path() device_id: DeviceId,
    @Queries() query: FeedPageQuery,
  ): Promise<InferenceFeed> {
    return toInferenceFeed(await this.ingest.inference(callerOf(req), device_id, toFeedQuery(query)));
  }
}
