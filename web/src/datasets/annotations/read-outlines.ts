import { body, tenantUrl } from '../../api/client';
import type { Tenant } from '../../app/session';
import { MAX_COCO_BYTES } from './coco-messages';
import { cocoOutlines } from './coco-outlines';
import { byObject } from './drawing';
import type { Outline } from './drawn.types';
import type { StoredImage } from './stored-objects';
import { vocOutlines } from './voc-outlines';
import { yoloOutlines } from './yolo-outlines';

type StoredSource = StoredImage['sources'][number];

/** Files that a browser can hold. Outlines of stored pixels are not turned here. */
export const isReadable = ({ format, size_bytes, turned }: StoredSource): boolean =>
  !turned && (format !== 'coco' || size_bytes <= MAX_COCO_BYTES);

/** Reads the named entries of the named files. @returns outlines by place of the object */
export async function readOutlines(
  tenant: Tenant,
  datasetId: string,
  image: StoredImage,
  shape: readonly number[] | null,
): Promise<ReadonlyMap<number, Outline>> {
  const sources = image.sources.filter(isReadable);
  const read = sources.map(async (source): Promise<readonly [StoredSource, readonly Outline[]]> => {
    if (source.format === 'coco') return [source, await inCoco(tenant, datasetId, source)];
    if (source.format === 'voc') return [source, vocOutlines(await textOf(tenant, datasetId, source))];
    return [source, await inYolo(tenant, datasetId, image, source, shape)];
  });
  return byObject(await Promise.all(read));
}

const inCoco = (tenant: Tenant, datasetId: string, { file_id, size_bytes, entry }: StoredSource) =>
  cocoOutlines({
    url: tenantUrl(tenant.code, `/api/v1/datasets/${datasetId}/files/${file_id}/content`),
    bytes: size_bytes,
    entry,
  });

const textOf = async (tenant: Tenant, datasetId: string, { file_id }: StoredSource): Promise<string> =>
  (await body(
    tenant.api.GET('/api/v1/datasets/{dataset_id}/files/{file_id}/content', {
      params: { path: { dataset_id: datasetId, file_id } },
      parseAs: 'text',
    }),
  )) as string;

async function inYolo(
  tenant: Tenant,
  datasetId: string,
  { width, height, objects }: StoredImage,
  source: StoredSource,
  shape: readonly number[] | null,
): Promise<readonly Outline[]> {
  if (width === null || height === null) return [];
  const labels = await textOf(tenant, datasetId, source);
  return yoloOutlines(labels, (at) => objects[source.objects[at] ?? -1], { width, height }, shape);
}
