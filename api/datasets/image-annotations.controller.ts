import type { Request as ExRequest } from 'express';
import { Controller, Get, Path, Query, Request, Route, Security, Tags } from '@tsoa/runtime';
import { callerOf } from '../http/routing/request-context.js';
import type { DatasetId } from './datasets.schemas.js';
import { toImageAnnotationsOut } from './image-annotations.mapper.js';
import type { FileIdList, ImageAnnotationsOut } from './image-annotations.schemas.js';
import type { ImageAnnotationsService } from './image-annotations.service.js';

@Route('api/v1/datasets/{dataset_id}')
@Tags('datasets')
export class ImageAnnotationsController extends Controller {
  constructor(private readonly annotations: ImageAnnotationsService) {
    super();
  }

  /**
   * The objects of images as the last validation matched and stored them: those that its statistics count and that training
   * takes. Before a validation there are none. `sources` says where outlines and key points stand.
   * @summary Read the annotations of some images
   * @param file_ids Separated by commas, at most 100
   */
  @Get('annotations')
  @Security('user', ['VIEW'])
  async read(
    @Request() req: ExRequest,
    @Path() dataset_id: DatasetId,
    @Query() file_ids: FileIdList,
  ): Promise<ImageAnnotationsOut> {
    const ids = file_ids.toLowerCase().split(',');
    return toImageAnnotationsOut(await this.annotations.read(callerOf(req), dataset_id, ids));
  }
}
