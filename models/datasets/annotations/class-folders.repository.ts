import type { TenantTransaction } from '../../orm/transaction.js';
import { beforeParts, type ClassFolders, type FolderCount, settleFolder, sharedFolder } from './class-folders.rules.js';
import { splitOfFolders } from './image-parts.repository.js';

/** Images that lie in folders, with what follows `$3` in their paths. */
const IN_FOLDERS = `(select path, substr(path, length($3) + 1) as rest from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image' and path like '%/%') f`;
/** What follows the folder of a part. */
const BELOW_PART = "substr(rest, position('/' in rest) + 1)";

/**
 * Where the folders of classes lie. A few walks over the paths, whatever their number and depth.
 * @param strays images in no folder at all
 */
export async function findClassFolders(tx: TenantTransaction, datasetId: string, strays: number): Promise<ClassFolders> {
  const all = await countFolder(tx, datasetId, '', 'rest');
  const root = beforeParts(all.shared);
  const { named, parted } = await countParts(tx, datasetId, root);
  if (strays === 0 && parted === all.images) {
    const { folder: below, doubt } = settleFolder(await countFolder(tx, datasetId, root, BELOW_PART), 0);
    return { root, hasParts: true, below, doubt };
  }
  const { folder, doubt } = settleFolder(all, strays);
  return named === all.images ? { root: '', hasParts: false, below: '', doubt: 'parts' } : { root: folder, hasParts: false, below: '', doubt };
}

/** @param rest SQL of the path that is looked at */
async function countFolder(tx: TenantTransaction, datasetId: string, root: string, rest: string): Promise<FolderCount> {
  const [ends] = await tx.query<{ images: number; first: string | null; last: string | null }>(
    `select count(*) as images, min(rest collate "C") as first, max(rest collate "C") as last from (select ${rest} as rest from ${IN_FOLDERS}) r`,
    [tx.tenantId, datasetId, root],
  );
  const shared = sharedFolder(ends?.first ?? '', ends?.last ?? '');
  const [inside] = await tx.query<{ direct: number }>(
    `select count(*) filter (where position('/' in substr(rest, length($4) + 1)) = 0) as direct from (select ${rest} as rest from ${IN_FOLDERS}) r`,
    [tx.tenantId, datasetId, root, shared],
  );
  return { shared, images: ends?.images ?? 0, direct: inside?.direct ?? 0 };
}

/** Images in folders named as parts below `root`, and those of them with a further folder below. */
async function countParts(tx: TenantTransaction, datasetId: string, root: string): Promise<{ named: number; parted: number }> {
  const isNamed = `${splitOfFolders("split_part(rest, '/', 1) || '/'")} is not null and rest like '%/%'`;
  const [row] = await tx.query<{ named: number; parted: number }>(
    `select count(*) filter (where ${isNamed}) as named, count(*) filter (where ${isNamed} and rest like '%/%/%') as parted from ${IN_FOLDERS}`,
    [tx.tenantId, datasetId, root],
  );
  return { named: row?.named ?? 0, parted: row?.parted ?? 0 };
}
