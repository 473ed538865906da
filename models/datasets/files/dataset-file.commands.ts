import { conflict } from '../../../core/errors/app-error.js';
import { audit } from '../../audit/audit.commands.js';
import type { Actor } from '../../audit/audit.types.js';
import { adoptObjects, freeObjects } from '../../objects/orphaned-object.commands.js';
import { holdRow } from '../../orm/hold-row.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { FileOrigin } from '../catalog/dataset.types.js';
import { DatasetFile } from '../catalog/dataset.entity.js';
import { recordFileChange, type LockedDataset } from '../catalog/dataset-change.commands.js';
import { findInTheWay, insertFileRows } from './dataset-file.sql.js';
import type { NewFile } from './new-file.types.js';
import { foldersOf } from './file-path.rules.js';

export interface AddedFiles {
  readonly created: ReadonlyArray<{ readonly id: string; readonly path: string }>;
  /** Created from the very same objects before: the same work came again because its answer was lost. */
  readonly repeated: ReadonlyArray<{ readonly id: string; readonly path: string }>;
  /** There already with the same bytes. */
  readonly skipped: ReadonlyArray<{ readonly id: string; readonly path: string }>;
  readonly errors: ReadonlyArray<{ readonly path: string; readonly code: string; readonly message: string }>;
}

/**
 * Makes files visible, all in the caller's transaction and by statements over the whole set. Objects of files that are
 * not created become free, unless they are those of the very file that is there. Books the change when there is one; the caller audits.
 */
export async function addFiles(
  tx: TenantTransaction,
  dataset: LockedDataset,
  files: readonly NewFile[],
  by: { id: string | null; origin: FileOrigin },
): Promise<AddedFiles> {
  const { existing, clashing } = await findObstacles(tx, dataset.id, files);
  const fresh: NewFile[] = [];
  const unused: NewFile[] = [];
  const repeated: { id: string; path: string }[] = [];
  const skipped: { id: string; path: string }[] = [];
  const errors: { path: string; code: string; message: string }[] = [];
  for (const file of files) {
    const there = existing.get(file.path);
    if (there?.objectKey === file.objectKey) {
      repeated.push({ id: there.id, path: file.path });
      continue;
    }
    if (!there && !clashing.has(file.path)) {
      fresh.push(file);
      continue;
    }
    unused.push(file);
    if (there?.sha256 === file.sha256) skipped.push({ id: there.id, path: file.path });
    else if (there)
      errors.push({
        path: file.path,
        code: 'conflict',
        message: 'A file of this path with other bytes exists; delete it first.',
      });
    else
      errors.push({
        path: file.path,
        code: 'conflict',
        message: 'The path would be a file and a folder at once.',
      });
  }
  const created = await insertFiles(tx, dataset, fresh, by);
  await freeObjects(
    tx,
    unused.map((file) => ({ key: file.objectKey })),
  );
  if (created.length > 0)
    await recordFileChange(tx, dataset, {
      files: created.length,
      bytes: fresh.reduce((sum, file) => sum + file.sizeBytes, 0),
    });
  return { created, repeated, skipped, errors };
}

interface FileThere {
  readonly id: string;
  readonly sha256: string;
  readonly objectKey: string;
}

interface Obstacles {
  readonly existing: Map<string, FileThere>;
  readonly clashing: Set<string>;
}

/** Folders of new paths that one statement asks for: paths may be 250 folders deep. */
const MAX_FOLDERS = 20_000;

/**
 * What stands in the way of new paths: files of the same path, and paths that would be a file and a folder at once, which
 * could not be staged side by side. Statements over many paths, so many that their folders stay few.
 */
async function findObstacles(
  tx: TenantTransaction,
  datasetId: string,
  files: readonly NewFile[],
): Promise<Obstacles> {
  const found: Obstacles = { existing: new Map(), clashing: new Set() };
  let slice: NewFile[] = [];
  let depth = 0;
  for (const [at, file] of files.entries()) {
    slice.push(file);
    depth += file.path.split('/').length;
    if (depth < MAX_FOLDERS && at < files.length - 1) continue;
    const { existing, clashing } = await findSome(tx, datasetId, slice);
    for (const [path, there] of existing) found.existing.set(path, there);
    for (const path of clashing) found.clashing.add(path);
    [slice, depth] = [[], 0];
  }
  return found;
}

async function findSome(
  tx: TenantTransaction,
  datasetId: string,
  files: readonly NewFile[],
): Promise<Obstacles> {
  const folders = new Map<string, string[]>();
  for (const { path } of files) {
    for (const folder of foldersOf(path)) {
      const inside = folders.get(folder);
      if (inside) inside.push(path);
      else folders.set(folder, [path]);
    }
  }
  const paths = files.map((file) => file.path);
  const rows = await findInTheWay(tx, datasetId, paths, [...folders.keys()]);
  const existing = new Map(
    rows
      .filter((row) => row.why === 'same')
      .map((row) => [
        row.path,
        { id: row.id as string, sha256: row.sha256 as string, objectKey: row.objectKey as string },
      ]),
  );
  const clashing = new Set(
    rows.flatMap((row) =>
      row.why === 'above' ? (folders.get(row.path) ?? []) : row.why === 'below' ? [row.path] : [],
    ),
  );
  return { existing, clashing };
}

async function insertFiles(
  tx: TenantTransaction,
  dataset: LockedDataset,
  files: readonly NewFile[],
  by: { id: string | null; origin: FileOrigin },
): Promise<{ id: string; path: string }[]> {
  if (files.length === 0) return [];
  const addedRevision = dataset.revision + 1;
  const rows = await insertFileRows(tx, { datasetId: dataset.id, addedRevision, ...by }, files);
  await adoptObjects(
    tx,
    files.map((file) => file.objectKey),
  );
  return rows;
}

/**
 * Adds a file that was uploaded by itself.
 * @returns its id, new or there already with the same bytes
 * @throws AppError conflict when other bytes or a folder have its path
 */
export async function addUploadedFile(
  tx: TenantTransaction,
  actor: Actor,
  dataset: LockedDataset,
  file: NewFile,
): Promise<string> {
  const { path, sizeBytes, sha256 } = file;
  const by = { id: actor.id, origin: 'upload' as const };
  const { created, repeated, skipped, errors } = await addFiles(tx, dataset, [file], by);
  if (errors[0]) throw conflict(errors[0].message, { path });
  if (created.length > 0)
    await audit(tx, tx.tenantId, actor, {
      action: 'dataset.file_add',
      target: { kind: 'dataset', id: dataset.key, label: dataset.name },
      detail: { path, size_bytes: sizeBytes, sha256 },
    });
  return ([...created, ...repeated, ...skipped][0] as { id: string }).id;
}

/** Remembers the object that holds a file's preview. @returns false when the file is gone or has one already */
export async function setPreview(
  tx: TenantTransaction,
  fileId: string,
  previewKey: string,
): Promise<boolean> {
  // Annotations may still be read from it meanwhile.
  const file = await holdRow(tx, DatasetFile, { id: fileId });
  if (!file || file.previewKey !== null) return false;
  file.previewKey = previewKey;
  await tx.em.flush();
  return true;
}
