import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
  Extension,
  Get,
  Path,
  Post,
  Put,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime';
import { contentLength, detachedBody } from '../http/bodies/chunk-body.js';
import type { ErrorOut } from '../http/answers/error.schemas.js';
import { callerOf } from '../http/routing/request-context.js';
import type { DatasetUploadsService } from './dataset-uploads.service.js';
import type { ChunkOut, DatasetUploadInit, DatasetUploadOut, UploadId } from './dataset-uploads.schemas.js';
import { toUploadOut } from './datasets.mapper.js';
import type { DatasetId } from './datasets.schemas.js';

@Route('api/v1/datasets/{dataset_id}/uploads')
@Tags('datasets')
export class DatasetUploadsController extends Controller {
  constructor(private readonly uploads: DatasetUploadsService) {
    super();
  }

  /**
   * The answer's `chunk_size` counts. A session nobody touches for 7 days expires.
   * @summary Open an upload session
   */
  @Post()
  @Security('user', ['DATASET_WRITE'])
  @SuccessResponse(201, 'Opened')
  @Response<ErrorOut>(409, 'A sync runs')
  async open(
    @Request() req: ExRequest,
    @Path() dataset_id: DatasetId,
    @Body() body: DatasetUploadInit,
  ): Promise<DatasetUploadOut> {
    this.setStatus(201);
    const { upload, received } = await this.uploads.open(callerOf(req), dataset_id, {
      filename: body.filename,
      size: body.size,
      sha256: body.sha256 ?? null,
      chunkSize: body.chunk_size ?? null,
    });
    return toUploadOut(upload, received);
  }

  /** @summary Read an upload session and the chunks it has */
  @Get('{upload_id}')
  @Security('user', ['DATASET_WRITE'])
  async read(
    @Request() req: ExRequest,
    @Path() dataset_id: DatasetId,
    @Path() upload_id: UploadId,
  ): Promise<DatasetUploadOut> {
    const { upload, received } = await this.uploads.read(callerOf(req), dataset_id, upload_id);
    return toUploadOut(upload, received);
  }

  /**
   * In any order; the last bytes sent for an index count. Needs a Content-Length. Every chunk has `chunk_size` bytes, the
   * last one the rest.
   * @summary Send one chunk
   * @isInt index must be a whole number
   * @minimum index 0
   * @maximum index 9999
   */
  @Put('{upload_id}/chunks/{index}')
  @Security('user', ['DATASET_WRITE'])
  @Extension('x-raw-body', 'application/octet-stream')
  @Response<ErrorOut>(409, 'The session takes no more chunks')
  @Response<ErrorOut>(413, 'Larger than chunk_size')
  @Response<ErrorOut>(415, 'Not sent as application/octet-stream')
  async putChunk(
    @Request() req: ExRequest,
    @Path() dataset_id: DatasetId,
    @Path() upload_id: UploadId,
    @Path() index: number,
  ): Promise<ChunkOut> {
    const { size } = await this.uploads.putChunk(callerOf(req), dataset_id, upload_id, index, {
      length: contentLength(req),
      open: () => detachedBody(req),
    });
    return { upload_id, index, size };
  }

  /**
   * Answers at once; the session then becomes done or failed. A repeat changes nothing. A ZIP is unpacked.
   * @summary Complete an upload session
   */
  @Post('{upload_id}:complete')
  @Security('user', ['DATASET_WRITE'])
  @Extension('x-long-work', true)
  @SuccessResponse(202, 'Accepted')
  @Response<ErrorOut>(409, 'Chunks are missing (detail.missing), or the session failed or expired')
  async complete(
    @Request() req: ExRequest,
    @Path() dataset_id: DatasetId,
    @Path() upload_id: UploadId,
  ): Promise<DatasetUploadOut> {
    this.setStatus(202);
    const { upload, received } = await this.uploads.complete(callerOf(req), dataset_id, upload_id);
    return toUploadOut(upload, received);
  }
}
