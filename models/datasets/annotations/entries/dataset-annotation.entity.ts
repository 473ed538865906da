import { defineEntity, p } from '@mikro-orm/core';

export const DatasetAnnotationSchema = defineEntity({
  name: 'DatasetAnnotation',
  tableName: 'dataset_annotation',
  properties: {
    tenantId: p.uuid().primary(),
    datasetId: p.uuid().primary(),
    fileId: p.uuid().primary(),
    seq: p.integer().primary(),
    refs: p.array(),
    name: p.text(),
    extension: p.text().nullable(),
    split: p.text().$type<'train' | 'val' | 'test'>().nullable(),
    width: p.integer().nullable(),
    height: p.integer().nullable(),
    objects: p.blob(),
    imageId: p.uuid().nullable(),
    match: p
      .text()
      .$type<
        | 'matched'
        | 'case_mismatch'
        | 'extension_mismatch'
        | 'ambiguous_stem'
        | 'no_image'
        | 'listed'
        | 'unlisted'
      >()
      .nullable(),
  },
});

export class DatasetAnnotation extends DatasetAnnotationSchema.class {}
DatasetAnnotationSchema.setClass(DatasetAnnotation);
