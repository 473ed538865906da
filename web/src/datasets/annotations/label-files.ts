import { body } from '../../api/client';
import type { Tenant } from '../../app/session';
import { type DatasetDetail, type DatasetFile, listFiles } from '../queries';
import type { Drawing } from './drawn.types';
import { drawVoc, vocPaths } from './voc-file';
import { drawYolo, labelPaths, type YoloKind, yoloNames } from './yolo-lines';

const MAX_TEXT = 4 * 1024 * 1024;

/** How the label files of a YOLO dataset are to be read. */
export interface YoloReading {
  readonly kind: YoloKind;
  readonly names: ReadonlyMap<number, string> | null;
  readonly values: 2 | 3 | null;
}

/** Reads the names of classes and what the lines hold. */
export async function yoloReading(tenant: Tenant, dataset: DatasetDetail): Promise<YoloReading> {
  const { items } = await listFiles(tenant, dataset.id, { q: '.yaml', kind: 'annotation', page_size: 20 });
  const [config] = items.sort((a, b) => a.path.split('/').length - b.path.split('/').length);
  const yaml = config ? await textOf(tenant, dataset.id, config) : '';
  const values = /^kpt_shape\s*:\s*\[\s*\d+\s*,\s*([23])\s*\]/m.exec(yaml)?.[1];
  const has = (task: string) => dataset.tasks.includes(task);
  return {
    kind: has('pose') ? 'points' : has('instance_segmentation') || has('obb') ? 'outlines' : 'boxes',
    names: yoloNames(yaml),
    values: values === undefined ? null : (Number(values) as 2 | 3),
  };
}

/** What the label file of a picture says; null where it has none. */
export async function drawingFromLabels(
  tenant: Tenant,
  datasetId: string,
  image: DatasetFile,
  size: { readonly width: number; readonly height: number } | null,
  reading: YoloReading | 'voc',
): Promise<Drawing | null> {
  const isVoc = reading === 'voc';
  const file = await firstOf(tenant, datasetId, isVoc ? vocPaths(image.path) : labelPaths(image.path));
  if (file === null) return null;
  const text = await textOf(tenant, datasetId, file);
  if (isVoc) return drawVoc(text);
  return size === null
    ? null
    : drawYolo(text, reading.kind, reading.names, size.width, size.height, reading.values);
}

async function firstOf(
  tenant: Tenant,
  datasetId: string,
  paths: readonly string[],
): Promise<DatasetFile | null> {
  for (const path of paths) {
    const { items } = await listFiles(tenant, datasetId, { q: path, page_size: 20 });
    const found = items.find((item) => item.path === path);
    if (found) return found;
  }
  return null;
}

async function textOf(tenant: Tenant, datasetId: string, file: DatasetFile): Promise<string> {
  if (file.size_bytes > MAX_TEXT) return '';
  return (await body(
    tenant.api.GET('/api/v1/datasets/{dataset_id}/files/{file_id}/content', {
      params: { path: { dataset_id: datasetId, file_id: file.id } },
      parseAs: 'text',
    }),
  )) as string;
}
