import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { NO_ROW } from '../../../core/ports/table-reader.js';
import { FORMAT_NOTES } from '../../../formats/annotations/unread-formats.js';
import { anyOf } from '../../orm/any-of.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { DatasetFile } from '../catalog/dataset.entity.js';
import type { Finding, CountedFiles } from '../catalog/dataset.types.js';
import type { ImageStats } from './validation-report.types.js';

const files = (tx: TenantTransaction, datasetId: string) =>
  tx.kysely.selectFrom('dataset_file').where('tenantId', '=', tx.tenantId).where('datasetId', '=', datasetId);

export type PendingFile = Pick<DatasetFile, 'id' | 'path' | 'sha256' | 'sizeBytes' | 'objectKey'>;

export async function countPending(tx: TenantTransaction, datasetId: string): Promise<number> {
  const { n } = await files(tx, datasetId)
    .where('status', '=', 'pending')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return n;
}

export const takePending = (
  tx: TenantTransaction,
  datasetId: string,
  limit: number,
): Promise<PendingFile[]> =>
  files(tx, datasetId)
    .where('status', '=', 'pending')
    .select(['id', 'path', 'sha256', 'sizeBytes', 'objectKey'])
    .orderBy('id')
    .limit(limit)
    .execute();

const MAX_FINDINGS = 100;

/** The first 100 invalid files by path, as findings. */
export async function invalidFindings(tx: TenantTransaction, datasetId: string): Promise<Finding[]> {
  const rows = await files(tx, datasetId)
    .where('status', '=', 'invalid')
    .select(['id', 'path', 'reason'])
    .orderBy('path')
    .limit(MAX_FINDINGS)
    .execute();
  return rows.map((row) => ({
    code: 'file_invalid',
    message: `${row.path}: ${row.reason ?? 'not valid'}.`,
    file_id: row.id,
  }));
}

const MAX_EXAMPLES = 10;

/** Files of a dataset for which `condition` holds: how many, and the first ten by path. @param show what is said of one */
async function countFiles(
  tx: TenantTransaction,
  datasetId: string,
  condition: RawBuilder<SqlBool>,
  show: RawBuilder<string> = sql<string>`path`,
): Promise<CountedFiles> {
  const rows = await files(tx, datasetId)
    .where(condition)
    .select([show.as('example'), sql<number>`count(*) over ()`.as('total')])
    .orderBy('path')
    .limit(MAX_EXAMPLES)
    .execute();
  return { count: rows[0]?.total ?? 0, examples: rows.map(({ example }) => example) };
}

const CHECKED_TABLE = sql<SqlBool>`kind = 'tabular' and status = 'valid'`;

/** What their check found about valid tables: that they hold no row, or what of their rows is broken. */
export const tableNotes = async (
  tx: TenantTransaction,
  datasetId: string,
): Promise<{ empty: CountedFiles; broken: CountedFiles }> => ({
  empty: await countFiles(tx, datasetId, sql`${CHECKED_TABLE} and reason = ${NO_ROW}`),
  broken: await countFiles(
    tx,
    datasetId,
    sql`${CHECKED_TABLE} and reason <> ${NO_ROW}`,
    sql<string>`path || ': ' || reason`,
  ),
});

/** Files by the format that their reading recognised, as `FORMAT_NOTES` has them. */
export const formatNotes = (
  tx: TenantTransaction,
  datasetId: string,
): Promise<Array<CountedFiles & { readonly reason: string }>> =>
  tx.kysely
    .selectFrom(
      files(tx, datasetId)
        .where('kind', '=', 'annotation')
        .where('status', '=', 'valid')
        .where('reason', '=', anyOf(FORMAT_NOTES.map(({ reason }) => reason)))
        .select([
          sql<string>`reason`.as('reason'),
          'path',
          sql<number>`count(*) over (partition by reason)`.as('total'),
          sql<number>`row_number() over (partition by reason order by path)`.as('turn'),
        ])
        .as('f'),
    )
    .where('f.turn', '<=', MAX_EXAMPLES)
    .groupBy('f.reason')
    .orderBy('f.reason')
    .select(({ fn }) => [
      'f.reason',
      fn.max<number>('f.total').as('count'),
      sql<string[]>`array_agg(f.path order by f.path)`.as('examples'),
    ])
    .execute();

/** Files named as images whose bytes are none, and those named as annotations that are empty or no text: none of them is used. */
const MISNAMED = sql<SqlBool>`kind = 'other' and (path ~* '\\.(png|jpe?g|gif|webp|tiff?|bmp|avif|heic)$'
  or ((size_bytes = 0 or media_type = 'application/octet-stream') and path ~* '\\.(json|xml|ya?ml)$')
  or (media_type = 'application/octet-stream' and path ~*
    '((^|/)labels/.*\\.txt|(^|/)(classes\\.txt|labels\\.txt|obj\\.names|_darknet\\.labels))$'))`;

export const misnamedFiles = (tx: TenantTransaction, datasetId: string): Promise<CountedFiles> =>
  countFiles(tx, datasetId, MISNAMED);

export const imageStats = (tx: TenantTransaction, datasetId: string): Promise<ImageStats> =>
  files(tx, datasetId)
    .where('kind', '=', 'image')
    .select(({ fn }) => [
      fn.countAll<number>().as('images'),
      fn.countAll<number>().filterWhere('label', 'is', null).as('withoutClass'),
      sql<number>`count(*) - count(distinct sha256)`.as('duplicates'),
      fn.min('width').as('minWidth'),
      fn.max('width').as('maxWidth'),
      fn.min('height').as('minHeight'),
      fn.max('height').as('maxHeight'),
    ])
    .executeTakeFirstOrThrow();

/** The next files in manifest order (byte order of the path). @param after the last path of the page before, or '' */
export const manifestPage = (tx: TenantTransaction, datasetId: string, after: string, limit: number) =>
  files(tx, datasetId)
    .where('path', '>', after)
    .select(['id', 'path', 'sha256', 'sizeBytes', 'objectKey', 'kind', 'label', 'split', 'width', 'height'])
    .orderBy('path')
    .limit(limit)
    .execute();
