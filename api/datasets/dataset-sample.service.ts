import { AppError } from '../../core/errors/app-error.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import {
  type TableFormat,
  type TableReader,
  type TableSample,
  UnreadableTable,
} from '../../core/ports/table-reader.js';
import { requireDataset } from '../../models/datasets/catalog/dataset-list.queries.js';
import {
  type FileRow,
  findTables,
  hasImages,
  sampleFiles,
} from '../../models/datasets/files/dataset-file.queries.js';
import { sampleKind, tableFormat } from '../../models/datasets/validation/sample.rules.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { Caller } from '../http/routing/request-context.js';
import { SampleReading } from './sample-reading.js';

const DEFAULT_SAMPLE = 20;
/** Tables looked at until one can be read. */
const MAX_TABLES = 3;

export interface FilesSample {
  readonly kind: 'files';
  readonly rows: FileRow[];
  readonly total: number;
}

export interface RowsSample {
  readonly kind: 'table';
  /** Null when none of the dataset's tables could be read; the notes give the reason. */
  readonly table: {
    readonly file: FileRow;
    readonly format: TableFormat;
    readonly sample: TableSample;
  } | null;
  readonly notes: string[];
  /** Read from the store for this answer. */
  readonly bytesRead: number;
}

/** Sample rows, read on demand: of tables only as many bytes as the rows need. */
export class DatasetSampleService {
  constructor(
    private readonly db: Database,
    private readonly objects: ObjectStore,
    private readonly tables: TableReader,
  ) {}

  /** @param leaves ends the reading: its reason is thrown */
  async sample(
    caller: Caller,
    key: string,
    limit: number | undefined,
    leaves: AbortSignal,
  ): Promise<FilesSample | RowsSample> {
    const found = await this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const dataset = await requireDataset(tx, key);
      const tables = await findTables(tx, dataset.id, MAX_TABLES);
      const kind = sampleKind({
        ...dataset,
        hasTables: tables.length > 0,
        hasImages: tables.length > 0 && (await hasImages(tx, dataset.id)),
      });
      if (kind === 'table') return { kind, tables };
      return {
        kind,
        rows: await sampleFiles(tx, dataset.id, limit ?? DEFAULT_SAMPLE),
        total: dataset.fileCount,
      };
    });
    return found.kind === 'files'
      ? found
      : this.readTables(caller.tenant.tenantId, found.tables, limit ?? DEFAULT_SAMPLE, leaves);
  }

  private async readTables(
    tenantId: string,
    files: readonly FileRow[],
    limit: number,
    leaves: AbortSignal,
  ): Promise<RowsSample> {
    const notes: string[] = [];
    const reading = new SampleReading(this.objects, leaves);
    for (const file of files) {
      const format = tableFormat(file.mediaType) ?? 'csv';
      try {
        const sample = await this.tables.readHead(
          reading.open(file.objectKey, file.sizeBytes),
          format,
          limit,
          { tenantId, signal: leaves },
        );
        return {
          kind: 'table',
          table: { file, format, sample },
          notes: [...notes, ...sample.notes],
          bytesRead: reading.bytesRead,
        };
      } catch (error) {
        if (isMissing(error))
          notes.push(`${file.path} cannot be read: its bytes are missing in the store; upload it again.`);
        else if (error instanceof UnreadableTable)
          notes.push(`${file.path} cannot be read as ${format}: ${error.message}.`);
        else throw error;
      }
    }
    return { kind: 'table', table: null, notes, bytesRead: reading.bytesRead };
  }
}

/** One file's object is missing; an unavailable store, or one without its bucket, is reported differently. */
const isMissing = (error: unknown): boolean => error instanceof AppError && error.code === 'not_found';
