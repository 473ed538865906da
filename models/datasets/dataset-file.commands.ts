import { type AppError, conflict, notFound } from '../../core/errors/app-error.js';
import { audit, auditAll } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import { adoptObjects, freeObjects } from '../objects/loose-object.repository.js';
import { steerPlanner } from '../orm/planner.js';
import { prepared, type TenantTransaction } from '../orm/transaction.js';
import type { FileKind, FileOrigin } from './dataset.types.js';
import { assertNoSync, bookFileChange, type LockedDataset, lockDataset } from './dataset-change.commands.js';
import { findUsersOfFile } from './dataset-usage.repository.js';
import { foldersOf, labelOf } from './file-path.rules.js';
import { lockVersions } from './unused-versions.repository.js';

/** A file whose bytes are in the store under a noted key. */
export interface NewFile {
  /** As `checkFilePath` answers it. */
  readonly path: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly objectKey: string;
  readonly mediaType: string;
  readonly kind: FileKind;
}

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
export async function addFiles(tx: TenantTransaction, dataset: LockedDataset, files: readonly NewFile[], by: { id: string | null; origin: FileOrigin }): Promise<AddedFiles> {
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
    else if (there) errors.push({ path: file.path, code: 'conflict', message: 'A file of this path with other bytes exists; delete it first.' });
    else errors.push({ path: file.path, code: 'conflict', message: 'The path would be a file and a folder at once.' });
  }
  const created = await insertFiles(tx, dataset, fresh, by);
  await freeObjects(
    tx,
    unused.map((file) => ({ key: file.objectKey })),
  );
  if (created.length > 0) await bookFileChange(tx, dataset, { files: created.length, bytes: fresh.reduce((sum, file) => sum + file.sizeBytes, 0) });
  return { created, repeated, skipped, errors };
}

interface Found {
  readonly why: 'same' | 'above' | 'below';
  readonly path: string;
  readonly id: string | null;
  readonly sha256: string | null;
  readonly object_key: string | null;
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
async function findObstacles(tx: TenantTransaction, datasetId: string, files: readonly NewFile[]): Promise<Obstacles> {
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

// One step in the index over paths for each path, told by the order: asked for what is equal, or by "any" or "exists",
// the planner may compare every path with every file of a table that is too young for statistics. In C order whatever
// lies in the folder `p` follows `p/` at once.
const OBSTACLES = prepared(`select 'same' as why, f.path, f.id, f.sha256, f.object_key from unnest($3::text[]) as n (path) cross join lateral (
     select f.path, f.id, f.sha256, f.object_key from dataset_file f where f.tenant_id = $1 and f.dataset_id = $2 and f.path >= n.path collate "C" order by f.path limit 1) f
     where f.path = n.path
   union all select 'above', n.path, null, null, null from unnest($4::text[]) as n (path) cross join lateral (
     select f.path from dataset_file f where f.tenant_id = $1 and f.dataset_id = $2 and f.path >= n.path collate "C" order by f.path limit 1) f
     where f.path = n.path
   union all select 'below', n.path, null, null, null from unnest($3::text[]) as n (path) cross join lateral (
     select f.path from dataset_file f where f.tenant_id = $1 and f.dataset_id = $2 and f.path > (n.path || '/') collate "C" order by f.path limit 1) next
     where starts_with(next.path, n.path || '/')`);

async function findSome(tx: TenantTransaction, datasetId: string, files: readonly NewFile[]): Promise<Obstacles> {
  const folders = new Map<string, string[]>();
  for (const { path } of files) {
    for (const folder of foldersOf(path)) {
      const inside = folders.get(folder);
      if (inside) inside.push(path);
      else folders.set(folder, [path]);
    }
  }
  // Nothing but that index is left, also for a plan that is made while the table is small and kept when it is not.
  await steerPlanner(tx, { without: ['seqscan', 'bitmapscan', 'sort'], keepsPlans: true });
  const rows = await tx.query<Found & Record<string, unknown>>(OBSTACLES, [tx.tenantId, datasetId, files.map((file) => file.path), [...folders.keys()]]);
  const existing = new Map(
    rows.filter((row) => row.why === 'same').map((row) => [row.path, { id: row.id as string, sha256: row.sha256 as string, objectKey: row.object_key as string }]),
  );
  const clashing = new Set(rows.flatMap((row) => (row.why === 'above' ? (folders.get(row.path) ?? []) : row.why === 'below' ? [row.path] : [])));
  return { existing, clashing };
}

const INSERT = prepared(`insert into dataset_file (tenant_id, dataset_id, path, sha256, size_bytes, object_key, media_type, kind, label, origin, added_revision, created_by)
   select $1, $2, f.path, f.sha256, f.size_bytes, f.object_key, f.media_type, f.kind, f.label, $3, $4, $5
   from unnest($6::text[], $7::text[], $8::bigint[], $9::text[], $10::text[], $11::text[], $12::text[]) as f (path, sha256, size_bytes, object_key, media_type, kind, label)
   returning id, path`);

async function insertFiles(
  tx: TenantTransaction,
  dataset: LockedDataset,
  files: readonly NewFile[],
  by: { id: string | null; origin: FileOrigin },
): Promise<{ id: string; path: string }[]> {
  if (files.length === 0) return [];
  const rows = await tx.query<{ id: string; path: string }>(INSERT, [
    tx.tenantId,
    dataset.id,
    by.origin,
    dataset.revision + 1,
    by.id,
    files.map((file) => file.path),
    files.map((file) => file.sha256),
    files.map((file) => file.sizeBytes),
    files.map((file) => file.objectKey),
    files.map((file) => file.mediaType),
    files.map((file) => file.kind),
    files.map((file) => (file.kind === 'image' ? labelOf(file.path) : null)),
  ]);
  await adoptObjects(
    tx,
    files.map((file) => file.objectKey),
  );
  return rows;
}

/**
 * Adds files that were uploaded one by one, in one transaction.
 * @param files whose paths neither repeat nor lie inside each other
 * @returns for each its id, new or there already with the same bytes, or why it was refused
 */
export async function addUploadedFiles(tx: TenantTransaction, actor: Actor, dataset: LockedDataset, files: readonly NewFile[]): Promise<Array<string | AppError>> {
  const { created, repeated, skipped, errors } = await addFiles(tx, dataset, files, { id: actor.id, origin: 'upload' });
  const ids = new Map([...created, ...repeated, ...skipped].map(({ path, id }) => [path, id]));
  const refused = new Map(errors.map(({ path, message }) => [path, conflict(message, { path })]));
  const isNew = new Set(created.map(({ path }) => path));
  await auditAll(
    tx,
    tx.tenantId,
    actor,
    files
      .filter(({ path }) => isNew.has(path))
      .map((file) => ({
        action: 'dataset.file_add',
        target: { kind: 'dataset', id: dataset.key, label: dataset.name },
        detail: { path: file.path, size_bytes: file.sizeBytes, sha256: file.sha256 },
      })),
  );
  return files.map(({ path }) => refused.get(path) ?? (ids.get(path) as string));
}

/**
 * Removes a file; its object goes when no held version contains it, and the audit row tells whether that is now.
 * @throws AppError not_found; conflict while a sync runs, and naming the users when it is in use and `force` is false
 */
export async function deleteFile(tx: TenantTransaction, actor: Actor, datasetKey: string, fileId: string, force: boolean): Promise<void> {
  const dataset = await lockDataset(tx, datasetKey);
  // A sync keeps what it found unchanged when it began: the file would be missing afterwards.
  assertNoSync(dataset);
  const [file] = await tx.query<{ path: string; size_bytes: number; object_key: string; added_revision: number }>(
    'select path, size_bytes, object_key, added_revision from dataset_file where tenant_id = $1 and dataset_id = $2 and id = $3',
    [tx.tenantId, dataset.id, fileId],
  );
  if (!file) throw notFound('File');
  // A run that is submitted at this moment holds its version already, unseen: it is waited for, and the next one waits for this.
  await lockVersions(tx, dataset.id);
  const users = await findUsersOfFile(tx, dataset.id, file.added_revision);
  const isUsed = users.users_total > 0;
  if (isUsed && !force) throw conflict('The file is part of a frozen version that training runs use; delete it with force=true.', { ...users });
  // Kept without the dataset's lock: only the row that goes tells whether there is one.
  const [gone] = await tx.query<{ preview_key: string | null }>('delete from dataset_file where tenant_id = $1 and id = $2 returning preview_key', [tx.tenantId, fileId]);
  await tx.execute('insert into loose_object (tenant_id, object_key, dataset_id, from_revision, to_revision, due_at) values ($1, $2, $3, $4, $5, now())', [
    tx.tenantId,
    file.object_key,
    dataset.id,
    file.added_revision,
    dataset.revision + 1,
  ]);
  if (gone?.preview_key) await freeObjects(tx, [{ key: gone.preview_key }]);
  await bookFileChange(tx, dataset, { files: -1, bytes: -file.size_bytes });
  await audit(tx, tx.tenantId, actor, {
    action: 'dataset.file_delete',
    target: { kind: 'dataset', id: dataset.key, label: dataset.name },
    detail: { path: file.path, freed_bytes: isUsed ? 0 : file.size_bytes, held_bytes: isUsed ? file.size_bytes : 0, force, ...users },
  });
}
