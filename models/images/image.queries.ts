import { type ListQuery, likePattern, type Page, toPage } from '../../core/paging/page.js';
import { anyOf } from '../orm/any-of.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { Descriptor, ImageRow, ImageStatus } from './image.types.js';

const images = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('image as i')
    .leftJoin('model_version as v', (join) =>
      join.onRef('v.tenantId', '=', 'i.tenantId').onRef('v.id', '=', 'i.modelVersionId'),
    )
    .leftJoin('model as m', (join) =>
      join.onRef('m.tenantId', '=', 'v.tenantId').onRef('m.id', '=', 'v.modelId'),
    )
    .where('i.tenantId', '=', tx.tenantId);

const COLUMNS = [
  'i.id',
  'i.kind',
  'i.modelVersionId',
  'm.name as modelName',
  'v.version as modelVersion',
  'v.trainingExperimentId as trainingId',
  'i.repository',
  'i.tag',
  'i.manifestDigest',
  'i.status',
  'i.statusMessage',
  'i.runtime',
  'i.runtimeDigest',
  'i.sizeBytes',
  'i.attempt',
  'i.createdBy',
  'i.createdAt',
  'i.updatedAt',
] as const;

export async function findImage(tx: TenantTransaction, id: string): Promise<ImageRow | null> {
  return (await images(tx).where('i.id', '=', id).select(COLUMNS).executeTakeFirst()) ?? null;
}

/** The images of several versions at once, by version id. */
export async function findImagesOfVersions(
  tx: TenantTransaction,
  versionIds: readonly string[],
): Promise<Map<string, ImageRow>> {
  const rows = await images(tx).where('i.modelVersionId', '=', anyOf(versionIds)).select(COLUMNS).execute();
  return new Map(rows.map((row) => [row.modelVersionId as string, row]));
}

export const IMAGE_SORTS = ['created_at', 'updated_at', 'repository', 'size_bytes'] as const;
export type ImageSort = (typeof IMAGE_SORTS)[number];

const SORT_COLUMN = {
  created_at: 'i.createdAt',
  updated_at: 'i.updatedAt',
  repository: 'i.repository',
  size_bytes: 'i.sizeBytes',
} as const satisfies Readonly<Record<ImageSort, string>>;

export interface ImageFilter {
  readonly status: ImageStatus | null;
  /** Exact name of a model. */
  readonly model: string | null;
}

export async function listImages(
  tx: TenantTransaction,
  query: ListQuery<ImageSort>,
  filter: ImageFilter,
): Promise<Page<ImageRow>> {
  const { q } = query;
  const { status, model } = filter;
  const found = images(tx)
    .$if(q !== null, (all) => all.where('i.repository', 'ilike', likePattern(q ?? '')))
    .$if(status !== null, (all) => all.where('i.status', '=', status))
    .$if(model !== null, (all) => all.where('m.name', '=', model));
  const { total } = await found
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const items = await found
    .select(COLUMNS)
    .orderBy(SORT_COLUMN[query.sort], query.order)
    .orderBy('i.id')
    .limit(query.pageSize)
    .offset(query.offset)
    .execute();
  return toPage(query, items, total);
}

/** The one layer of a READY model image. */
export async function findModelLayer(
  tx: TenantTransaction,
  image: Pick<ImageRow, 'repository' | 'manifestDigest'>,
): Promise<Descriptor | null> {
  if (image.manifestDigest === null) return null;
  const row = await tx.kysely
    .selectFrom('image_manifest')
    .where('tenantId', '=', tx.tenantId)
    .where('repository', '=', image.repository)
    .where('digest', '=', image.manifestDigest)
    .select('body')
    .executeTakeFirst();
  if (!row) return null;
  const manifest = JSON.parse(Buffer.from(row.body).toString('utf8')) as { layers?: Descriptor[] };
  return manifest.layers?.[0] ?? null;
}

/** A version of a model, as an image is named after it. */
export interface NamedVersion {
  readonly id: string;
  readonly name: string;
  readonly version: number;
}

/** Locks an image until the transaction ends, as a change of it does: endpoints that serve it may still be added. */
export async function lockImage(
  tx: TenantTransaction,
  column: 'id' | 'modelVersionId',
  value: string,
): Promise<void> {
  await tx.kysely
    .selectFrom('image')
    .where('tenantId', '=', tx.tenantId)
    .where(column, '=', value)
    .select('id')
    .forNoKeyUpdate()
    .execute();
}

/**
 * Locks the version, so that its image, its stage and its deletion are decided upon one after the other; tags and aliases
 * of it may still be added.
 */
export const lockModelVersion = async (
  tx: TenantTransaction,
  name: string,
  version: number,
): Promise<NamedVersion | null> =>
  (await tx.kysely
    .selectFrom('model_version as v')
    .innerJoin('model as m', (join) =>
      join.onRef('m.tenantId', '=', 'v.tenantId').onRef('m.id', '=', 'v.modelId'),
    )
    .select(['v.id', 'm.name', 'v.version'])
    .where('v.tenantId', '=', tx.tenantId)
    .where('m.name', '=', name)
    .where('v.version', '=', version)
    .forNoKeyUpdate('v')
    .executeTakeFirst()) ?? null;
