import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
  Extension,
  Get,
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
import type { ChunkOut, UploadId } from '../datasets/dataset-uploads.schemas.js';
import { contentLength, detachedBody } from '../http/bodies/chunk-body.js';
import type { ErrorOut } from '../http/answers/error.schemas.js';
import { callerOf, deviceActorOf, deviceOf } from '../http/routing/request-context.js';
import type { DeviceId } from './devices.schemas.js';
import { toEdgeUploadOut, toTransferOut } from './edge-uploads.mapper.js';
import type { EdgeUploadOut, TransferPage, TransferQuery, UploadInit } from './edge-uploads.schemas.js';
import type { EdgeUploadsService } from './edge-uploads.service.js';

@Route('api/v1/edge')
@Tags('edge')
export class EdgeUploadsController extends Controller {
  constructor(private readonly uploads: EdgeUploadsService) {
    super();
  }

  /** @summary List the transfers of a device, newest first */
  @Get('devices/{device_id}/uploads')
  @Security('user', ['VIEW'])
  async list(
    @Request() req: ExRequest,
    @Path() device_id: DeviceId,
    @Queries() query: TransferQuery,
  ): Promise<TransferPage> {
    const page = await this.uploads.list(callerOf(req), device_id, query);
    return { ...page, items: page.items.map(toTransferOut) };
  }

  /**
   * The answer's `chunk_size` counts. A session nobody touches for 7 days expires.
   * @summary Open an upload session
   */
  @Post('uploads')
  @Security('device', ['uploads:write'])
  @SuccessResponse(201, 'Opened')
  @Response<ErrorOut>(404, 'No such dataset')
  @Response<ErrorOut>(409, 'A sync of the dataset runs')
  async open(@Request() req: ExRequest, @Body() body: UploadInit): Promise<EdgeUploadOut> {
    this.setStatus(201);
    return toEdgeUploadOut(await this.uploads.open(deviceOf(req), deviceActorOf(req), body));
  }

  /** @summary Read an upload session and the chunks it has */
  @Get('uploads/{upload_id}')
  @Security('device', ['uploads:write'])
  async read(@Request() req: ExRequest, @Path() upload_id: UploadId): Promise<EdgeUploadOut> {
    return toEdgeUploadOut(await this.uploads.read(deviceOf(req), deviceActorOf(req), upload_id));
  }

  /**
   * In any order; the last bytes sent for an index count. Needs a Content-Length. Every chunk has `chunk_size` bytes, the
   * last one the rest.
   * @summary Send one chunk
   * @isInt index must be a whole number
   * @minimum index 0
   * @maximum index 9999
   */
  @Put('uploads/{upload_id}/chunks/{index}')
  @Security('device', ['uploads:write'])
  @Extension('x-raw-body', 'application/octet-stream')
  @Response<ErrorOut>(409, 'The session takes no more chunks')
  @Response<ErrorOut>(413, 'Larger than chunk_size')
  @Response<ErrorOut>(415, 'Not sent as application/octet-stream')
  async putChunk(
    @Request() req: ExRequest,
    @Path() upload_id: UploadId,
    @Path() index: number,
  ): Promise<ChunkOut> {
    const { size } = await this.uploads.putChunk(deviceOf(req), deviceActorOf(req), upload_id, index, {
      length: contentLength(req),
      open: () => detachedBody(req),
    });
    return { upload_id, index, size };
  }

  /**
   * Answers at once; the session then becomes done or failed. A repeat changes nothing. A ZIP is unpacked.
   * @summary Complete an upload session
   */
  @Post('uploads/{upload_id}:complete')
  @Security('device', ['uploads:write'])
  @Extension('x-long-work', true)
  @SuccessResponse(202, 'Accepted')
  @Response<ErrorOut>(409, 'Chunks are missing (detail.missing), or the session failed or expired')
  async complete(@Request() req: ExRequest, @Path() upload_id: UploadId): Promise<EdgeUploadOut> {
    this.setStatus(202);
    return toEdgeUploadOut(await this.uploads.complete(deviceOf(req), deviceActorOf(req), upload_id));
  }
}
