import { defineEntity, p } from '@mikro-orm/core';

export const DatasetAnnotationFileSchema = defineEntity({
  name: 'DatasetAnnotationFile',
  tableName: 'dataset_annotation_file',
  properties: {
    tenantId: p.uuid().primary(),
    datasetId: p.uuid().primary(),
    fileId: p.uuid().primary(),
    kind: p.text().$type<'coco' | 'voc' | 'yolo' | 'yolo_config' | 'yolo_names' | 'yolo_list'>(),
    classes: p.json<unknown>().defaultRaw(`'[]'`),
    keypointShape: p
      .array((n) => Number(n))
      .columnType('integer[]')
      .nullable(),
    imageCount: p.integer(),
    objectCount: p.bigint('number'),
    orphanCount: p.bigint('number'),
    partFolders: p.json<unknown>().defaultRaw(`'[]'`),
  },
});

export class DatasetAnnotationFile extends DatasetAnnotationFileSchema.class {}
DatasetAnnotationFileSchema.setClass(DatasetAnnotationFile);
