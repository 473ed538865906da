import { queryOptions, useQuery } from '@tanstack/react-query';
import { body, type Schemas, tenantUrl } from '../../api/client';
import { type Tenant, useTenant } from '../../app/session';
import { objectClasses, objectTask } from '../../shared/class-colours';
import { bytes } from '../../shared/numbers';
import { text } from '../../text';
import { useMemo } from 'react';
import { type DatasetDetail, type DatasetFile, listFiles } from '../queries';
import { type CocoSource, openCoco } from './coco-source';
import { type Drawing, plainObject } from './drawn.types';
import { drawingFromLabels, type YoloReading, yoloReading } from './label-files';

const words = text.datasets.gallery;
/** More would take the tab's memory. */
const MAX_COCO_BYTES = 160 * 1024 * 1024;

type Way =
  | { readonly kind: 'coco'; readonly source: CocoSource }
  | { readonly kind: 'labels'; readonly reading: YoloReading | 'voc' }
  | { readonly kind: 'preview'; readonly drawings: ReadonlyMap<string, Drawing>; readonly note: string };

/** What can be drawn over the pictures of a dataset, and how it is got. */
export interface Annotations {
  /** Null: nothing is annotated or known yet. */
  readonly way: Way | null;
  readonly isLoading: boolean;
  /** Why boxes are missing, in words. */
  readonly note: string | null;
  /** Names of the classes, in the order of their colours. */
  readonly classes: readonly string[];
}

export function useAnnotations(dataset: DatasetDetail): Annotations {
  const tenant = useTenant();
  const format = dataset.annotation_format;
  const isAnnotated = format === 'coco' || format === 'yolo' || format === 'voc';
  const query = useQuery({ ...wayQuery(tenant, dataset), enabled: isAnnotated });
  const way = query.data ?? null;
  const isLoading = isAnnotated && query.isPending;
  const isFailed = isAnnotated && query.data === undefined && query.error !== null;
  return useMemo(
    () => ({
      way,
      isLoading,
      note: isFailed ? words.indexFailed : noteOf(dataset, way),
      classes: objectClasses(dataset),
    }),
    [dataset, way, isLoading, isFailed],
  );
}

function noteOf(dataset: DatasetDetail, way: Way | null): string | null {
  if (way?.kind === 'preview') return way.note;
  const hasFiles = dataset.manifest.files.some(({ kind }) => kind === 'annotation');
  return dataset.status !== 'FROZEN' && hasFiles ? words.onlyFrozen : null;
}

const wayQuery = (tenant: Tenant, dataset: DatasetDetail) =>
  queryOptions({
    queryKey: [tenant.code, 'datasets', dataset.id, 'annotations', dataset.digest],
    queryFn: (): Promise<Way> => findWay(tenant, dataset),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });

async function findWay(tenant: Tenant, dataset: DatasetDetail): Promise<Way> {
  if (dataset.annotation_format === 'voc') return { kind: 'labels', reading: 'voc' };
  if (dataset.annotation_format === 'yolo')
    return { kind: 'labels', reading: await yoloReading(tenant, dataset) };
  const { items } = await listFiles(tenant, dataset.id, { kind: 'annotation', page_size: 200 });
  const files = items.filter(({ path, status }) => /\.json$/i.test(path) && status === 'valid');
  const size = files.reduce((sum, file) => sum + file.size_bytes, 0);
  if (size > MAX_COCO_BYTES) return previewWay(tenant, dataset, words.tooLarge(bytes(size)));
  return { kind: 'coco', source: await keptSource(tenant, dataset, files) };
}

/** One dataset's index at a time: the worker of the one before ends. */
let kept: CocoSource | null = null;
async function keptSource(
  tenant: Tenant,
  dataset: DatasetDetail,
  files: readonly DatasetFile[],
): Promise<CocoSource> {
  const source = await openCoco(
    files.map(({ id, path }) => ({
      path,
      url: tenantUrl(tenant.code, `/api/v1/datasets/${dataset.id}/files/${id}/content`),
    })),
  );
  kept?.close();
  kept = source;
  return source;
}

async function previewWay(tenant: Tenant, dataset: DatasetDetail, note: string): Promise<Way> {
  const task = objectTask(dataset) ?? 'detection';
  const preview = await body(
    tenant.api.GET('/api/v1/training/datasets/{dataset_id}/preview', {
      params: { path: { dataset_id: dataset.id }, query: { task, limit: 100 } },
    }),
  );
  const drawings = new Map(preview.items.map((item) => [item.file_id, drawingOf(item)]));
  return { kind: 'preview', drawings, note };
}

function drawingOf({ objects }: Schemas['PreviewImageOut']): Drawing {
  return {
    objects: objects.map(({ label, box, crowd }) => ({
      ...plainObject(label, box as unknown as [number, number, number, number]),
      isCrowd: crowd,
    })),
    width: null,
    height: null,
    isWhole: !objects.some((object) => object.has_outline || object.has_keypoints),
  };
}

/** Objects of one picture. @param size of the upright picture, which the numbers of YOLO are parts of */
export function useDrawing(
  dataset: DatasetDetail,
  file: DatasetFile,
  { way }: Annotations,
  size: { readonly width: number; readonly height: number } | null,
) {
  const tenant = useTenant();
  const needsSize = way?.kind === 'labels' && way.reading !== 'voc';
  return useQuery({
    queryKey: [
      tenant.code,
      'datasets',
      dataset.id,
      'drawing',
      dataset.digest,
      file.id,
      way?.kind,
      needsSize && size,
    ],
    queryFn: (): Promise<Drawing | null> | Drawing | null => {
      if (way === null) return null;
      if (way.kind === 'coco') return way.source.find(file.path);
      if (way.kind === 'preview') return way.drawings.get(file.id) ?? null;
      return drawingFromLabels(tenant, dataset.id, file, size, way.reading);
    },
    enabled: way !== null && (!needsSize || size !== null),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
