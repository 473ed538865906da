import { Alert, Box, Group, Stack, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { useTenant } from '../../app/session';
import { EmptyState } from '../../shared/empty-state';
import { ErrorCard } from '../../shared/error-card';
import { Loading } from '../../shared/loading';
import { count } from '../../shared/numbers';
import { usePageCurl } from '../../shared/page-curl';
import { useCloseOver, useSearchChange } from '../../shared/search-change';
import type { TabSearch } from '../../shared/tabs';
import { text } from '../../text';
import type { Layers } from '../annotations/overlay';
import { type Annotations, useAnnotations } from '../annotations/use-annotations';
import {
  filterOf,
  type GalleryFilter,
  isListed,
  isListedWhole,
  serverQuery,
} from '../gallery/gallery-filter';
import { GalleryTools, SIDES, type SideName } from '../gallery/gallery-tools';
import { PhotoGrid } from '../gallery/photo-grid';
import { PhotoTile } from '../gallery/photo-tile';
import { useFindingImages } from '../gallery/use-finding-images';
import { type Images, usePagedImages } from '../gallery/use-images';
import { Viewer } from '../gallery/viewer';
import { type DatasetDetail, type DatasetFile, fileQuery } from '../queries';
import { AddFiles } from '../upload/add-files';

const words = text.datasets.gallery;
const ALL_LAYERS: Layers = { boxes: true, masks: true, points: true };

/** The pictures of a dataset as a wall, with what is known of them drawn over. */
export function GalleryTab({ dataset }: { dataset: DatasetDetail }) {
  const tenant = useTenant();
  const search: TabSearch = useSearch({ strict: false });
  const change = useSearchChange();
  const filter = filterOf(search);
  const [layers, setLayers] = useLocalStorage({
    key: 'visionops.gallery.layers',
    defaultValue: ALL_LAYERS,
    getInitialValueInEffect: false,
  });
  const [side, setSide] = useLocalStorage<SideName>({
    key: 'visionops.gallery.side',
    defaultValue: 'm',
    getInitialValueInEffect: false,
  });
  const total = imagesIn(dataset);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `change` is another function at each render and does the same
  const open = useCallback(
    (file: DatasetFile, index: number) => change({ file: file.id, at: index }, { opensOver: true }),
    [],
  );
  usePageCurl({
    path: `/api/v1/datasets/${dataset.id}/files`,
    query: serverQuery(filter, dataset.status === 'FROZEN'),
  });
  const { images, others, note } = useFilteredImages(dataset, filter, total, placeOf(search));
  const annotations = useAnnotations(dataset, images.group(0));
  if (total === 0)
    return <EmptyState sentence={words.none} action={<AddFiles datasetId={dataset.id} isSmall />} />;
  const looks = { layers, onLayers: setLayers };
  return (
    <Stack gap="sm">
      <GalleryTools
        filter={filter}
        change={change}
        classes={annotations.classes}
        hasSplits={hasSplits(dataset)}
        hasObjects={annotations.areThere}
        tasks={dataset.tasks}
        side={side}
        onSide={setSide}
        {...looks}
      />
      <Line images={images} others={others} annotations={annotations} />
      {note !== null && (
        <Alert color="blue" variant="light">
          {note}
        </Alert>
      )}
      {images.error !== null && <ErrorCard error={images.error} onRetry={images.retry} />}
      {images.isLoading && images.count === 0 && <Loading />}
      {!images.isLoading && images.count === 0 && images.error === null && <Text>{words.noMatch}</Text>}
      <PhotoGrid
        label={words.label}
        images={images}
        side={SIDES[side]}
        render={(file, index, isStop) => (
          <PhotoTile
            tenant={tenant.code}
            dataset={dataset}
            file={file}
            group={images.group(index)}
            classes={annotations.classes}
            layers={layers}
            index={index}
            isStop={isStop}
            onOpen={open}
          />
        )}
      />
      <OpenViewer
        dataset={dataset}
        images={images}
        hasOthers={others > 0}
        annotations={annotations}
        search={search}
        {...looks}
      />
    </Stack>
  );
}

/** Place of the open picture in the list. */
const placeOf = ({ at }: TabSearch): number | null => (at === undefined ? null : Number(at));

const imagesIn = ({ manifest }: DatasetDetail): number =>
  manifest.files.reduce((sum, { kind, files }) => sum + (kind === 'image' ? files : 0), 0);

const hasSplits = ({ validation }: DatasetDetail): boolean => {
  const { splits } = (validation as { stats?: { splits?: object | null } } | null)?.stats ?? {};
  return splits !== null && splits !== undefined && Object.keys(splits).length > 0;
};

/** The list that serves the filters: pages in any order, or the examples of a finding; and how many files in it are no pictures. */
function useFilteredImages(
  dataset: DatasetDetail,
  filter: GalleryFilter,
  total: number,
  focus: number | null,
): { images: Images; others: number; note: string | null } {
  const isWhole = isListedWhole(total, dataset.file_count);
  const isPlain = Object.values(filter).every((value) => value === null);
  const isFrozen = dataset.status === 'FROZEN';
  const [hasMoved, setMoved] = useState(!isFrozen);
  if (!isFrozen && !hasMoved) setMoved(true);
  // Whoever saw pictures come keeps them in their places when no more do.
  const asked = serverQuery(filter, !hasMoved);
  const query = isPlain && isWhole ? { ...asked, kind: undefined } : asked;
  const others = isPlain && isWhole ? dataset.file_count - total : 0;
  const images = usePagedImages(dataset, query, isPlain ? total + others : null, focus);
  const examplesOf = filter.finding === null || isListed(filter.finding) ? null : filter.finding;
  const examples = useFindingImages(dataset, examplesOf);
  return examplesOf === null
    ? { images, others, note: null }
    : { images: examples.images, others: 0, note: words.examples(examples.named, examples.all) };
}

interface LineProps {
  readonly images: Images;
  /** Files among them that are no pictures. */
  readonly others: number;
  readonly annotations: Annotations;
}

/** How many pictures there are, and what is to be said about their annotations; its height is always kept. */
function Line({ images, others, annotations }: LineProps) {
  const parts = [words.shown(count(images.count - others), images.isExact)];
  if (others > 0) parts.push(words.others(others));
  if (annotations.isLoading) parts.push(words.loadingIndex);
  else if (annotations.note !== null) parts.push(annotations.note);
  return (
    <Group gap="md" mih={20}>
      {parts.map((part) => (
        <Text key={part} size="sm" c="dimmed">
          {part}
        </Text>
      ))}
    </Group>
  );
}

interface OpenViewerProps {
  readonly dataset: DatasetDetail;
  readonly images: Images;
  /** Files that are no pictures stand among them, and are counted with them. */
  readonly hasOthers: boolean;
  readonly annotations: Annotations;
  readonly search: TabSearch;
  readonly layers: Layers;
  readonly onLayers: (layers: Layers) => void;
}

/** The large view of the picture that the address names. */
function OpenViewer(props: OpenViewerProps) {
  const { dataset, images, hasOthers, annotations, search, layers, onLayers } = props;
  const tenant = useTenant();
  const change = useSearchChange();
  const close = useCloseOver('file', 'at');
  const id = search.file === undefined ? null : String(search.file);
  const at = placeOf(search);
  const listed = at === null ? undefined : images.at(at);
  const isListed = listed !== undefined && listed.id === id;
  const alone = useQuery({ ...fileQuery(tenant, dataset.id, id ?? ''), enabled: id !== null && !isListed });
  const file = isListed ? listed : alone.data;
  const step = useMemo(() => {
    const to = (index: number) => {
      const next = images.at(index);
      return next ? () => change({ file: next.id, at: index }, { replace: true }) : null;
    };
    return { back: at === null || at === 0 ? null : to(at - 1), on: at === null ? null : to(at + 1) };
  }, [images, at, change]);
  const { of, ofFiles } = text.datasets.viewer;
  const placed = hasOthers ? ofFiles : of;
  if (id === null || !file) return <Box />;
  return (
    <Viewer
      tenant={tenant.code}
      dataset={dataset}
      file={file}
      annotations={annotations}
      group={isListed && at !== null ? images.group(at) : [id]}
      layers={layers}
      onLayers={onLayers}
      place={at === null ? null : placed(count(at + 1), count(images.count))}
      onPrevious={step.back}
      onNext={step.on}
      onClose={close}
    />
  );
}
