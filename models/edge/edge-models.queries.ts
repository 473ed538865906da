import { notFound } from '../../core/errors/app-error.js';
import { MAX_PLAIN_LIST } from '../../core/paging/page.js';
import { findImagesOfVersions } from '../images/image.queries.js';
import type { ImageRow } from '../images/image.types.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { findModel } from '../registry/model.queries.js';
import type { ModelFile, ModelVersionRow } from '../registry/model.types.js';
import { findVersion, listFilesOfVersions, listVersions } from '../registry/version.queries.js';

/** A version with all that a device needs to fetch it. */
export interface FetchableVersion {
  readonly version: ModelVersionRow;
  readonly image: ImageRow | undefined;
  readonly files: readonly ModelFile[];
}

/**
 * Versions of a model, newest first, at most 1,000, with their true number.
 * @param only this version; null: all
 * @throws AppError not_found
 */
export async function listFetchableVersions(
  tx: TenantTransaction,
  name: string,
  only: number | null,
): Promise<{ readonly items: readonly FetchableVersion[]; readonly total: number }> {
  const model = await findModel(tx, name);
  if (!model) throw notFound('Model');
  const page = await (only === null
    ? listVersions(tx, model.id, { page: 1, pageSize: MAX_PLAIN_LIST, offset: 0 })
    : findAlone(tx, name, only));
  const ids = page.items.map(({ id }) => id);
  const [images, files] = [await findImagesOfVersions(tx, ids), await listFilesOfVersions(tx, ids)];
  const items = page.items.map((version) => ({
    version,
    image: images.get(version.id),
    files: files.get(version.id) ?? [],
  }));
  return { items, total: page.total };
}

async function findAlone(
  tx: TenantTransaction,
  name: string,
  version: number,
): Promise<{ readonly items: readonly ModelVersionRow[]; readonly total: number }> {
  const found = await findVersion(tx, name, version);
  return found ? { items: [found], total: 1 } : { items: [], total: 0 };
}
