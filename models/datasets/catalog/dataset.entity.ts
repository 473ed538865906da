import { defineEntity, p } from '@mikro-orm/core';
import type { AnnotationFormat, Split } from '../../../formats/annotations/annotation.types.js';
import type { ImageFinding } from '../annotations/report/image-marks.rules.js';
import type {
  ClassCount,
  DatasetStatus,
  FileKind,
  FileOrigin,
  FileStatus,
  SplitCounts,
  TaskClasses,
  UploadResult,
  UploadState,
  ValidationReport,
  ValidationStatus,
} from './dataset.types.js';

export const DatasetSchema = defineEntity({
  name: 'Dataset',
  tableName: 'dataset',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    /** The id people use, unique within the tenant. */
    key: p.text(),
    name: p.text(),
    modality: p.text().default('image'),
    source: p.text().default('upload'),
    schemaVersion: p.text().nullable(),
    /** Figures of a catalog entry whose bytes are not held here; files replace them. */
    declaredRecords: p.bigint('number').default(0),
    declaredBytes: p.bigint('number').default(0),
    format: p.text().default('images'),
    keyFields: p.json<ReadonlyArray<Record<string, unknown>>>().defaultRaw(`'[]'`),
    variables: p.json<ReadonlyArray<Record<string, unknown>>>().defaultRaw(`'[]'`),
    /** Columns that the files of a dataset of tables have in common, as the last validation found them. */
    tableColumns: p.json<ReadonlyArray<Record<string, unknown>>>().defaultRaw(`'[]'`),
    tableRows: p.bigint('number').nullable(),
    storageUri: p.text().nullable(),
    externalSource: p.text().nullable(),
    /** The sync that runs; files are not changed by others meanwhile. */
    activeSyncId: p.uuid().nullable(),
    status: p.text().$type<DatasetStatus>().default('DRAFT'),
    validationStatus: p.text().$type<ValidationStatus>().default('PENDING'),
    validation: p.json<ValidationReport>().nullable(),
    validationChecked: p.bigint('number').default(0),
    /** Counts the validation workflows of this dataset: part of their ids, so none runs twice. */
    validationAttempt: p.integer().default(0),
    validationActive: p.boolean().default(false),
    /** When the next pass may begin; null: nothing to validate. */
    validateAfter: p.datetime().nullable(),
    /** The next pass reads every file again, not only the new ones. */
    recheckAll: p.boolean().default(false),
    /** The next pass reads the annotation files again. */
    recheckAnnotations: p.boolean().default(false),
    /** Counts the changes of files. */
    revision: p.bigint('number').default(0),
    fileCount: p.bigint('number').default(0),
    fileBytes: p.bigint('number').default(0),
    /** The frozen version; null unless FROZEN. */
    versionId: p.uuid().nullable(),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A named set of files of one tenant. */
export class Dataset extends DatasetSchema.class {}
DatasetSchema.setClass(Dataset);

export const DatasetFileSchema = defineEntity({
  name: 'DatasetFile',
  tableName: 'dataset_file',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    datasetId: p.uuid(),
    path: p.text(),
    sha256: p.text(),
    sizeBytes: p.bigint('number'),
    objectKey: p.text(),
    /** By the bytes, never by the name or what a client says. */
    mediaType: p.text(),
    kind: p.text().$type<FileKind>(),
    status: p.text().$type<FileStatus>().default('pending'),
    /** Why it is invalid, or what is remarkable about a valid one. */
    reason: p.text().nullable(),
    origin: p.text().$type<FileOrigin>().default('upload'),
    /** Class of an image: its first folder, until the validation settles which folders are classes. */
    label: p.text().nullable(),
    /** Pixels as stored. */
    width: p.integer().nullable(),
    height: p.integer().nullable(),
    /** As EXIF has it, from 1 to 8; null of what is no image, and of images that were read before 0.2. */
    orientation: p.smallint().nullable(),
    /** The orientation turns the image by a quarter: upright, width and height change places. */
    isTurned: p.boolean().default(false),
    /** The part of the dataset, as the last report settled it; null where nothing names one, or where folders are classes. */
    split: p.text().$type<Split>().nullable(),
    /** Names of the classes of an image's objects, as the last report read them. */
    classes: p.array().defaultRaw(`'{}'::text[]`),
    /** What the last report found in an image. */
    findings: p.array().$type<ImageFinding[]>().defaultRaw(`'{}'::text[]`),
    /** Difference hash of an image, 64 bits; null where it is too small or plain for one. */
    phash: p.bigint('string').nullable(),
    /** Red, green and blue of the 9 x 8 pixels that the hash is made from; null without one. */
    tones: p.blob().nullable(),
    /** The way in which hash and tones were made, LIKENESS_VERSION at that time; null of the first way. */
    likenessVersion: p.smallint().nullable(),
    previewKey: p.text().nullable(),
    /** Revision of the dataset that brought the file; shows which frozen versions contain it. */
    addedRevision: p.bigint('number'),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

export class DatasetFile extends DatasetFileSchema.class {}
DatasetFileSchema.setClass(DatasetFile);

export const DatasetVersionSchema = defineEntity({
  name: 'DatasetVersion',
  tableName: 'dataset_version',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    datasetId: p.uuid(),
    datasetKey: p.text(),
    datasetName: p.text(),
    revision: p.bigint('number'),
    digest: p.text(),
    manifestKey: p.text(),
    fileCount: p.bigint('number'),
    sizeBytes: p.bigint('number'),
    classes: p.json<readonly ClassCount[]>().defaultRaw(`'[]'`),
    annotationFormat: p.text().$type<AnnotationFormat>().nullable(),
    tasks: p.json<TaskClasses>().defaultRaw(`'{}'`),
    splits: p.json<SplitCounts>().defaultRaw(`'{}'`),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** What a validation froze; outlives its dataset while something holds it. */
export class DatasetVersion extends DatasetVersionSchema.class {}
DatasetVersionSchema.setClass(DatasetVersion);

export const DatasetUploadSchema = defineEntity({
  name: 'DatasetUpload',
  tableName: 'dataset_upload',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    datasetId: p.uuid(),
    path: p.text(),
    sizeBytes: p.bigint('number'),
    /** What the client says the whole hashes to; null: not said. */
    sha256: p.text().nullable(),
    chunkBytes: p.bigint('number'),
    chunkCount: p.integer(),
    state: p.text().$type<UploadState>().default('open'),
    objectKey: p.text(),
    /** Null when chunks are objects of their own, joined at the end. */
    multipartId: p.text().nullable(),
    /** Bytes of parts that were sent again; those of chunks that are objects go at once. */
    replacedBytes: p.bigint('number').default(0),
    /** True for `/archive`: the bytes must be a ZIP of at most 20,000 members. */
    isArchive: p.boolean().default(false),
    result: p.json<UploadResult>().nullable(),
    /** Code of the error vocabulary; null unless failed. */
    errorCode: p.text().nullable(),
    error: p.text().nullable(),
    touchedAt: p.datetime().defaultRaw('now()'),
    createdBy: p.uuid().nullable(),
    createdByEmail: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

export class DatasetUpload extends DatasetUploadSchema.class {}
DatasetUploadSchema.setClass(DatasetUpload);
