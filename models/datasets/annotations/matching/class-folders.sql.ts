import type { TenantTransaction } from '../../../orm/transaction.js';
import {
  beforeParts,
  type ClassFolders,
  type FolderCount,
  type PartPlaces,
  partsDoubt,
  settleFolder,
  sharedFolder,
} from './class-folders.rules.js';
import { splitOfFolders } from './image-parts.sql.js';

/** Images that lie in folders, with what follows `$3` in their paths. */
const IN_FOLDERS = `(select path, substr(path, length($3) + 1) as rest from dataset_file
  where tenant_id = $1 and dataset_id = $2 and kind = 'image' and path like '%/%') f`;
/** What follows the folder of a part. */
const BELOW_PART = "substr(rest, position('/' in rest) + 1)";

/**
 * Where the folders of classes lie. A few walks over the paths, whatever their number and depth.
 * @param outside images in no folder at all
 */
export async function findClassFolders(
  tx: TenantTransaction,
  datasetId: string,
  outside: number,
): Promise<ClassFolders> {
  const all = await countFolder(tx, datasetId, '', 'rest');
  const root = beforeParts(all.shared);
  const places = await findParts(tx, datasetId, root);
  if (places.outside === null) {
    const { folder: below, doubt } = settleFolder(await countFolder(tx, datasetId, root, BELOW_PART), 0);
    return { root, hasParts: true, below, doubt };
  }
  const { folder, doubt } = settleFolder(all, outside);
  return {
    root: places.isWhole ? '' : folder,
    hasParts: false,
    below: '',
    doubt: partsDoubt(places) ?? doubt,
  };
}

/** @param rest SQL of the path that is looked at */
async function countFolder(
  tx: TenantTransaction,
  datasetId: string,
  root: string,
  rest: string,
): Promise<FolderCount> {
  const [ends] = await tx.rows<{ images: number; first: string | null; last: string | null }>(
    `select count(*) as images, min(rest collate "C") as first, max(rest collate "C") as last
     from (select ${rest} as rest from ${IN_FOLDERS}) r`,
    [tx.tenantId, datasetId, root],
  );
  const shared = sharedFolder(ends?.first ?? '', ends?.last ?? '');
  const [inside] = await tx.rows<{ direct: number }>(
    `select count(*) filter (where position('/' in substr(rest, length($4) + 1)) = 0) as direct
     from (select ${rest} as rest from ${IN_FOLDERS}) r`,
    [tx.tenantId, datasetId, root, shared],
  );
  return { shared, images: ends?.images ?? 0, direct: inside?.direct ?? 0 };
}

/** Where folders named as parts lie; `isWhole` says that all images in folders lie in one right below `root`. */
async function findParts(
  tx: TenantTransaction,
  datasetId: string,
  root: string,
): Promise<PartPlaces & { readonly isWhole: boolean }> {
  const isNamed = `(${splitOfFolders("split_part(rest, '/', 1) || '/'")} is not null and rest like '%/%')`;
  const first = (condition: string): string => `min(path collate "C") filter (where ${condition})`;
  const [row] = await tx.rows<{
    atRoot: string | null;
    anywhere: string | null;
    noPart: string | null;
    noClass: string | null;
  }>(
    `select ${first(isNamed)} as at_root, ${first(`${splitOfFolders('path')} is not null`)} as anywhere,
       ${first(`not ${isNamed}`)} as no_part,
       ${first(`${isNamed} and rest not like '%/%/%'`)} as no_class from ${IN_FOLDERS}`,
    [tx.tenantId, datasetId, root],
  );
  const [outside] = await tx.rows<{ path: string | null }>(
    `select min(path collate "C") as path from dataset_file
     where tenant_id = $1 and dataset_id = $2 and kind = 'image' and path not like '%/%'`,
    [tx.tenantId, datasetId],
  );
  const { atRoot = null, anywhere = null, noPart = null, noClass = null } = row ?? {};
  return {
    root,
    atRoot,
    anywhere,
    outside: noPart ?? noClass ?? outside?.path ?? null,
    isWhole: noPart === null,
  };
}
