import type { Request as ExRequest } from 'express';
import {
  Controller,
  Delete,
  Extension,
  Get,
  Path,
  Post,
  Produces,
  Queries,
  Query,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
  UploadedFile,
} from '@tsoa/runtime';
import type { ErrorOut } from '../http/answers/error.schemas.js';
import { requireStoredFile } from '../http/bodies/multipart-storage.js';
import { callerOf, whenClientLeaves } from '../http/routing/request-context.js';
import { sendObject, sendUnchanged } from '../http/answers/send-object.js';
import type { DatasetFilesService } from './dataset-files.service.js';
import type { FileId, FileListQuery, FileOut, FilePage, UploadResultOut } from './dataset-files.schemas.js';
import { toFileOut, toUploadResultOut } from './datasets.mapper.js';
import type { DatasetId } from './datasets.schemas.js';
import type { FileContentService } from './file-content.service.js';

@Route('api/v1/datasets/{dataset_id}')
@Tags('datasets')
export class DatasetFilesController extends Controller {
  constructor(
    private readonly files: DatasetFilesService,
    private readonly contents: FileContentService,
  ) {
    super();
  }

  /** @summary List the files of a dataset */
  @Get('files')
  @Security('user', ['VIEW'])
  async list(
    @Request() req: ExRequest,
    @Path() dataset_id: DatasetId,
    @Queries() query: FileListQuery,
  ): Promise<FilePage> {
    const { page: at, page_size, q, sort, order, after, ...filters } = query;
    const std = { page: at, page_size, q, sort, order, after };
    const page = await this.files.list(callerOf(req), dataset_id, filters, std);
    return { ...page, items: page.items.map((row) => toFileOut(row, dataset_id)) };
  }

  /**
   * The file name keeps its folders: `cats/1.png` is an image of class `cats`. The same path with the same bytes changes
   * nothing; with other bytes it is refused.
   * @summary Upload one file
   */
  @Post('files')
  @Security('user', ['DATASET_WRITE'])
  @SuccessResponse(201, 'Stored')
  @Response<ErrorOut>(409, 'Another file has this path, or a sync runs')
  @Response<ErrorOut>(413, 'Too large for a form; use an upload session')
  @Response<ErrorOut>(503, 'Too many files are being uploaded at once; Retry-After says when to come again')
  async upload(
    @Request() req: ExRequest,
    @Path() dataset_id: DatasetId,
    @UploadedFile() file: Express.Multer.File,
  ): Promise<FileOut> {
    this.setStatus(201);
    return toFileOut(await this.files.add(callerOf(req), dataset_id, requireStoredFile(file)), dataset_id);
  }

  /**
   * All members become visible at once or none. At most 1 GiB and 20,000 members.
   * @summary Upload a ZIP archive
   */
  @Post('archive')
  @Security('user', ['DATASET_WRITE'])
  @Extension('x-long-work', true)
  @SuccessResponse(201, 'Unpacked')
  @Response<ErrorOut>(409, 'A sync runs')
  @Response<ErrorOut>(413, 'Too large; use an upload session')
  @Response<ErrorOut>(503, 'Too many files are being uploaded at once; Retry-After says when to come again')
  async uploadArchive(
    @Request() req: ExRequest,
    @Path() dataset_id: DatasetId,
    @UploadedFile() file: Express.Multer.File,
  ): Promise<UploadResultOut> {
    this.setStatus(201);
    return toUploadResultOut(
      await this.files.addArchive(callerOf(req), dataset_id, requireStoredFile(file), whenClientLeaves(req)),
    );
  }

  /** @summary Read one file's status and facts */
  @Get('files/{file_id}')
  @Security('user', ['VIEW'])
  async read(
    @Request() req: ExRequest,
    @Path() dataset_id: DatasetId,
    @Path() file_id: FileId,
  ): Promise<FileOut> {
    return toFileOut(await this.files.read(callerOf(req), dataset_id, file_id), dataset_id);
  }

  /**
   * @summary Delete one file
   * @param force Delete it although a frozen version that training runs use contains it
   */
  @Delete('files/{file_id}')
  @Security('user', ['DATASET_WRITE'])
  @SuccessResponse(204, 'Deleted')
  @Response<ErrorOut>(409, 'In use; detail.users names the first 20 users and detail.users_total counts them')
  async remove(
    @Request() req: ExRequest,
    @Path() dataset_id: DatasetId,
    @Path() file_id: FileId,
    @Query() force: boolean = false,
  ): Promise<void> {
    await this.files.delete(callerOf(req), dataset_id, file_id, force);
  }

  /**
   * Takes Range, If-Range and If-None-Match; the ETag is the sha256. Only raster images are shown in place.
   * @summary Download one file
   * @param variant The bytes as uploaded, or a small upright copy of an image as WebP
   * @param download Always as an attachment
   */
  @Get('files/{file_id}/content')
  @Security('user', ['VIEW'])
  @Produces('application/octet-stream')
  @SuccessResponse(200, 'The bytes')
  @Response<ErrorOut>(416, 'The range lies outside the file')
  @Response<ErrorOut>(503, 'Too many previews are being made; Retry-After says when to ask again')
  async content(
    @Request() req: ExRequest,
    @Path() dataset_id: DatasetId,
    @Path() file_id: FileId,
    @Query() variant: 'original' | 'preview' = 'original',
    @Query() download: boolean = false,
  ): Promise<void> {
    if (variant === 'original')
      return sendObject(req, await this.contents.original(callerOf(req), dataset_id, file_id, download));
    const preview = await this.contents.preview(callerOf(req), dataset_id, file_id, download);
    if (!sendUnchanged(req, preview.etag)) await sendObject(req, await preview.make());
  }
}
