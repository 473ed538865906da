import type { RandomAccess } from '../../core/ports/archive-reader.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import { type TableFormat, type TableReader, type TableSample, UnreadableTable } from '../../core/ports/table-reader.js';
import { requireDataset } from '../../models/datasets/dataset-catalog.repository.js';
import { type FileRow, findTables, hasImages, sampleFiles } from '../../models/datasets/dataset-file.repository.js';
import { sampleKind, tableFormat } from '../../models/datasets/sample.rules.js';
import { objectAccess } from '../../models/objects/object-access.js';
import type { Database } from '../../models/orm/database.js';
import type { Caller } from '../http/request-context.js';

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
  /** Null when none of the dataset's tables could be read; the notes tell why. */
  readonly table: { readonly file: FileRow; readonly format: TableFormat; readonly sample: TableSample } | null;
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

  async sample(caller: Caller, key: string, limit: number = DEFAULT_SAMPLE): Promise<FilesSample | RowsSample> {
    const found = await this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const dataset = await requireDataset(tx, key);
      const tables = await findTables(tx, dataset.id, MAX_TABLES);
      const kind = sampleKind({ ...dataset, hasTables: tables.length > 0, hasImages: tables.length > 0 && (await hasImages(tx, dataset.id)) });
      if (kind === 'table') return { kind, tables };
      return { kind, rows: await sampleFiles(tx, dataset.id, limit), total: dataset.file_count };
    });
    return found.kind === 'files' ? found : this.readTables(found.tables, limit);
  }

  private async readTables(files: readonly FileRow[], limit: number): Promise<RowsSample> {
    const notes: string[] = [];
    let bytesRead = 0;
    for (const file of files) {
      const format = tableFormat(file.media_type) ?? 'csv';
      const source = this.source(file, (bytes) => {
        bytesRead += bytes;
      });
      try {
        const sample = await this.tables.readHead(source, format, limit);
        return { kind: 'table', table: { file, format, sample }, notes: [...notes, ...sample.notes], bytesRead };
      } catch (error) {
        if (!(error instanceof UnreadableTable)) throw error;
        notes.push(`${file.path} cannot be read as ${format}: ${error.message}.`);
      }
    }
    return { kind: 'table', table: null, notes, bytesRead };
  }

  private source(file: FileRow, count: (bytes: number) => void): RandomAccess {
    const source = objectAccess(this.objects, file.object_key, file.size_bytes);
    const read = async (start: number, end: number) => {
      const bytes = await source.read(start, end);
      count(bytes.length);
      return bytes;
    };
    return { ...source, read };
  }
}
