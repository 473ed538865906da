import { defineEntity, p } from '@mikro-orm/core';

export const DatasetUploadChunkSchema = defineEntity({
  name: 'DatasetUploadChunk',
  tableName: 'dataset_upload_chunk',
  properties: {
    tenantId: p.uuid().primary(),
    uploadId: p.uuid().primary(),
    index: p.integer().primary(),
    sizeBytes: p.bigint('number'),
    etag: p.text(),
    objectKey: p.text().nullable(),
    at: p.datetime().defaultRaw('now()'),
  },
});

export class DatasetUploadChunk extends DatasetUploadChunkSchema.class {}
DatasetUploadChunkSchema.setClass(DatasetUploadChunk);
