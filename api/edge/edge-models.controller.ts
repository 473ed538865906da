import type { Request as ExRequest } from 'express';
import {
  Controller,
  Get,
  Path,
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
import { sendDownload } from '../http/answers/send-download.js';
import { sendObject } from '../http/answers/send-object.js';
import { deviceOf } from '../http/routing/request-context.js';
import type { ModelName, VersionNumber } from '../registry/models.schemas.js';
import { toDigestHeader, toEdgeModelOut, toEdgeVersionOut } from './edge-models.mapper.js';
import type {
  ContainerPullOut,
  EdgeModelsOut,
  EdgeModelVersionsOut,
  ModelFilePath,
} from './edge-models.schemas.js';
import type { EdgeModelsService } from './edge-models.service.js';

@Route('api/v1/edge')
@Tags('edge')
export class EdgeModelsController extends Controller {
  constructor(private readonly models: EdgeModelsService) {
    super();
  }

  /** @summary List the models of the device's tenant */
  @Get('models')
  @Security('device', ['models:read'])
  async list(@Request() req: ExRequest): Promise<EdgeModelsOut> {
    const { items, total } = await this.models.list(deviceOf(req));
    return { items: items.map(toEdgeModelOut), total };
  }

  /**
   * @summary List the versions of a model with their files, newest first
   * @param version This one alone: a device that installs it needs no other
   */
  @Get('models/{name}/versions')
  @Security('device', ['models:read'])
  async versions(
    @Request() req: ExRequest,
    @Path() name: ModelName,
    @Query() version?: VersionNumber,
  ): Promise<EdgeModelVersionsOut> {
    const { items, total } = await this.models.versions(deviceOf(req), name, version ?? null);
    return { items: items.map((each) => toEdgeVersionOut(each, this.models.registryHost)), total };
  }

  /**
   * A single file comes with its sha256 as ETag and as Repr-Digest, and in ranges, so that a download that broke off goes on. A
   * version of several files comes as a ZIP without ranges; with `path` one of them.
   * @summary Download a version
   * @param path One file of the version
   */
  @Get('models/{name}/{version}/download')
  @Security('device', ['models:read'])
  @Produces('application/octet-stream')
  @SuccessResponse(200, 'The bytes')
  @Response(206, 'The range that was asked for')
  @Response<ErrorOut>(416, 'The range lies outside of the file')
  async download(
    @Request() req: ExRequest,
    @Path() name: ModelName,
    @Path() version: VersionNumber,
    @Query() path?: ModelFilePath,
  ): Promise<void> {
    const found = await this.models.download(deviceOf(req), name, version, path ?? null);
    if ('archive' in found) return sendDownload(req, found.archive);
    req.res?.setHeader('Repr-Digest', toDigestHeader(found.file.etag));
    return sendObject(req, found.file);
  }

  /** @summary Resolve the image of a version to what the device pulls */
  @Get('containers/pull')
  @Security('device', ['container:pull'])
  @Response<ErrorOut>(404, 'No such version, or it has no image')
  @Response<ErrorOut>(409, 'The image is not ready')
  async pull(
    @Request() req: ExRequest,
    @Query() model: ModelName,
    @Query() version: VersionNumber,
  ): Promise<ContainerPullOut> {
    const { imageRef, digest, sizeBytes } = await this.models.pull(deviceOf(req), model, version);
    return { model, version, image_ref: imageRef, digest, size_bytes: sizeBytes };
  }
}
