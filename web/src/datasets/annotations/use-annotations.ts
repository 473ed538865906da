import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTenant } from '../../app/session';
import { objectClasses } from '../../shared/class-colours';
import { bytes } from '../../shared/numbers';
import { text } from '../../text';
import type { DatasetDetail, DatasetFile } from '../queries';
import { drawingOf, hasOutlines } from './drawing';
import type { Drawing } from './drawn.types';
import { isReadable, readOutlines } from './read-outlines';
import { passOf, type StoredImage, staleTimeOf, storedQuery } from './stored-objects';

const words = text.datasets.gallery;

/** What is known of the annotations of a dataset as a whole. */
export interface Annotations {
  /** False: nothing but folders of classes. */
  readonly areThere: boolean;
  readonly isLoading: boolean;
  /** Why something is missing, in words. */
  readonly note: string | null;
  /** Names of the classes, in the order of their colours. */
  readonly classes: readonly string[];
}

/** @param ids of the first pictures */
export function useAnnotations(dataset: DatasetDetail, ids: readonly string[]): Annotations {
  const tenant = useTenant();
  const areThere = areAnnotated(dataset);
  const { data, error, isLoading } = useQuery({
    ...storedQuery(tenant, dataset, ids),
    enabled: areThere && ids.length > 0,
  });
  return useMemo(
    () => ({
      areThere,
      isLoading,
      note: areThere ? noteOf(dataset, data?.items ?? [], error !== null) : null,
      classes: objectClasses(dataset),
    }),
    [dataset, areThere, data, error, isLoading],
  );
}

function areAnnotated({ annotation_format: format, manifest }: DatasetDetail): boolean {
  const hasFiles = manifest.files.some(({ kind }) => kind === 'annotation');
  return hasFiles && format !== 'class_folders' && format !== 'images';
}

function noteOf(dataset: DatasetDetail, images: readonly StoredImage[], isFailed: boolean): string | null {
  if (isFailed) return words.indexFailed;
  if (passOf(dataset) === null) return words.onlyValidated;
  const large = images
    .filter(hasOutlines)
    .flatMap(({ sources }) => sources)
    .find((source) => source.format === 'coco' && !isReadable(source));
  return large ? words.tooLarge(large.path, bytes(large.size_bytes)) : null;
}

export interface DrawingState {
  readonly drawing: Drawing | null;
  readonly isLoading: boolean;
  readonly error: unknown;
}

/**
 * What is drawn over one picture.
 * @param ids files that are asked for together, this one among them
 * @param withOutlines also what stands in the annotation files alone
 */
export function useDrawing(
  dataset: DatasetDetail,
  file: DatasetFile,
  ids: readonly string[],
  withOutlines: boolean,
): DrawingState {
  const tenant = useTenant();
  const query = { ...storedQuery(tenant, dataset, ids), placeholderData: keepPreviousData };
  const stored = useQuery({ ...query, enabled: areAnnotated(dataset) });
  const image = useMemo(
    () => stored.data?.items.find((item) => item.file_id === file.id),
    [stored.data, file.id],
  );
  const shape = stored.data?.keypoint_shape ?? null;
  // A turned box is not there without its corners.
  const areTurned = dataset.tasks.includes('obb');
  const outlines = useQuery({
    queryKey: [tenant.code, 'datasets', dataset.id, 'outlines', passOf(dataset), file.id],
    queryFn: () => (image ? readOutlines(tenant, dataset.id, image, shape) : null),
    enabled:
      (withOutlines || areTurned) && image !== undefined && !stored.isPlaceholderData && hasOutlines(image),
    staleTime: staleTimeOf(dataset),
    structuralSharing: false,
  });
  return {
    drawing: useMemo(
      () => (image ? drawingOf(image, outlines.data ?? null, areTurned) : null),
      [image, outlines.data, areTurned],
    ),
    isLoading: stored.isLoading || outlines.isLoading,
    error: stored.error,
  };
}
