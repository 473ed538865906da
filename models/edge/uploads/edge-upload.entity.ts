import { defineEntity, p } from '@mikro-orm/core';

export const EdgeUploadSchema = defineEntity({
  name: 'EdgeUpload',
  tableName: 'edge_upload',
  properties: {
    /** That of the session of the dataset. */
    id: p.uuid().primary(),
    tenantId: p.uuid(),
    deviceId: p.uuid(),
    /** What it is, by the device. */
    kind: p.text(),
    meta: p.json<Record<string, unknown>>().defaultRaw("'{}'"),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** An upload session of a dataset that a device opened. */
export class EdgeUpload extends EdgeUploadSchema.class {}
EdgeUploadSchema.setClass(EdgeUpload);
