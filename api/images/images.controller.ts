import type { Request as ExRequest } from 'express';
import {
  Controller,
  Extension,
  Get,
  Path,
  Post,
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
import type { ModelName, VersionNumber } from '../registry/models.schemas.js';
import { toImageOut } from './images.mapper.js';
import type { ImageListQuery, ImageOut, ImagePage } from './images.schemas.js';
import type { ImagesService } from './images.service.js';

@Route('api/v1')
@Tags('images')
export class ImagesController extends Controller {
  constructor(private readonly images: ImagesService) {
    super();
  }

  /**
   * Newest first by default. `id` is what a serving endpoint takes as `image_id`.
   * @summary List images
   */
  @Get('registry/images')
  @Security('user', ['VIEW'])
  @Response<ErrorOut>(400, 'Unknown sort key; detail.allowed lists the allowed ones')
  async list(@Request() req: ExRequest, @Queries() query: ImageListQuery): Promise<ImagePage> {
    const page = await this.images.list(callerOf(req), query);
    return { ...page, items: page.items.map((image) => toImageOut(image, this.images.registryHost)) };
  }

  /**
   * Idempotent: an image that is READY or being built is answered as it is, a failed one is built again.
   * @summary Build the image of a model version
   */
  @Post('models/{name}/{version}/image')
  @Security('user', ['DEVELOP'])
  @Extension('x-long-work', true)
  @SuccessResponse(202, 'Being built, or there already')
  async build(
    @Request() req: ExRequest,
    @Path() name: ModelName,
    @Path() version: VersionNumber,
  ): Promise<ImageOut> {
    this.setStatus(202);
    return toImageOut(await this.images.build(callerOf(req), name, version), this.images.registryHost);
  }
}
