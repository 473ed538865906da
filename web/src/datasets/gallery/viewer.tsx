import { ActionIcon, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { type HotkeyItem, useHotkeys } from '@mantine/hooks';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useMemo, useState } from 'react';
import { Dialog } from '../../shared/dialog';
import { tenantUrl } from '../../api/client';
import { useLetterKeys } from '../../app/preferences';
import { Facts } from '../../shared/facts';
import { CopyText } from '../../shared/copy-text';
import { bytes } from '../../shared/numbers';
import { pointedAt } from '../../shared/pointed';
import { StateChip } from '../../shared/state-chip';
import { Time } from '../../shared/time';
import { text } from '../../text';
import { type Layers, Overlay } from '../annotations/overlay';
import { uprightSize } from '../annotations/upright';
import { type Annotations, useDrawing } from '../annotations/use-annotations';
import type { DatasetDetail, DatasetFile } from '../queries';
import { splitOf } from './gallery-filter';
import { LayerSwitches, layersOf } from './layer-switches';
import { ObjectList } from './object-list';
import { OriginalPicture } from './original-picture';
import { PictureFrame } from './picture-frame';
import type { Size } from './thumb';

const words = text.datasets.viewer;

interface ViewerProps {
  readonly tenant: string;
  readonly dataset: DatasetDetail;
  readonly file: DatasetFile;
  readonly annotations: Annotations;
  /** Files whose annotations are asked for together. */
  readonly group: readonly string[];
  readonly layers: Layers;
  readonly onLayers: (layers: Layers) => void;
  /** Its place in the list, in words; null outside of one. */
  readonly place: string | null;
  readonly onPrevious: (() => void) | null;
  readonly onNext: (() => void) | null;
  readonly onClose: () => void;
}

/** One picture large, with everything that is known about it; arrow keys go to its neighbours. */
export function Viewer(props: ViewerProps) {
  const { tenant, dataset, file, annotations, layers, onPrevious, onNext, onClose } = props;
  const [marked, mark] = useState<{ readonly id: string; readonly at: number } | null>(null);
  const chosen = marked?.id === file.id ? marked.at : null;
  const [pointing, point] = useState<{ readonly id: string; readonly at: number } | null>(null);
  const pointed = pointing?.id === file.id ? pointing.at : null;
  const onPointed = (at: number | null) => point(at === null ? null : { id: file.id, at });
  const [isFull, setFull] = useState(false);
  const zoom = () => setFull(!isFull);
  const [sized, setSized] = useState<{ readonly id: string; readonly size: Size } | null>(null);
  const shown = sized?.id === file.id ? sized.size : null;
  const { drawing, isLoading, error } = useDrawing(dataset, file, props.group, true);
  const boxes = useMemo(() => drawing?.objects.map(({ box }) => box) ?? [], [drawing]);
  const size = drawing?.size ?? uprightSize(file, shown);
  const [hasLetters] = useLetterKeys();
  // Nothing here takes letters: the keys hold also after a switch was set.
  useHotkeys(
    [
      ['ArrowLeft', () => onPrevious?.()],
      ['ArrowRight', () => onNext?.()],
      ...(hasLetters ? [['z', zoom] as HotkeyItem] : []),
    ],
    [],
  );
  return (
    <Dialog
      onClose={onClose}
      fullScreen
      title={
        <Text className="mono" size="sm" style={{ overflowWrap: 'anywhere' }}>
          {file.path}
        </Text>
      }
      closeButtonProps={{ 'aria-label': words.close }}
      transitionProps={{ duration: 0 }}
    >
      <Group align="flex-start" gap="md" wrap="wrap">
        <Stack gap="sm" style={{ flex: '1 1 420px', minWidth: 0 }}>
          <PictureFrame
            size={size}
            isFull={isFull}
            onZoom={zoom}
            onPoint={(share) => onPointed(share && size && pointedAt(boxes, share, size))}
          >
            <OriginalPicture
              key={file.id}
              tenant={tenant}
              file={file}
              onSize={(given) => setSized({ id: file.id, size: given })}
            />
            {drawing && size && (
              <Overlay
                drawing={drawing}
                width={size.width}
                height={size.height}
                classes={annotations.classes}
                layers={layers}
                fit="meet"
                chosen={pointed ?? chosen}
              />
            )}
          </PictureFrame>
          <Turning place={props.place} onPrevious={onPrevious} onNext={onNext}>
            <Button size="compact-sm" variant="default" onClick={zoom}>
              {isFull ? words.fit : words.full}
            </Button>
          </Turning>
        </Stack>
        <Stack gap="md" style={{ flex: '0 1 300px', minWidth: 240 }}>
          <LayerSwitches layers={layers} onLayers={props.onLayers} offered={layersOf(drawing)} />
          <ObjectList
            drawing={drawing}
            isAsked={annotations.areThere}
            isFailed={error !== null}
            isLoading={isLoading}
            classes={annotations.classes}
            chosen={chosen}
            pointed={pointed}
            onPointed={onPointed}
            onChosen={(at) => mark(at === null ? null : { id: file.id, at })}
          />
          <FileFacts tenant={tenant} file={file} size={size} />
        </Stack>
      </Group>
    </Dialog>
  );
}

type TurningProps = Pick<ViewerProps, 'place' | 'onPrevious' | 'onNext'> & { readonly children: ReactNode };

function Turning({ place, onPrevious, onNext, children }: TurningProps) {
  return (
    <Group gap="sm" justify="center">
      <ActionIcon
        variant="default"
        size="lg"
        disabled={!onPrevious}
        onClick={() => onPrevious?.()}
        aria-label={words.previous}
      >
        <IconChevronLeft size={18} aria-hidden />
      </ActionIcon>
      <Text size="sm" miw={110} ta="center" aria-live="polite">
        {place}
      </Text>
      <ActionIcon
        variant="default"
        size="lg"
        disabled={!onNext}
        onClick={() => onNext?.()}
        aria-label={words.next}
      >
        <IconChevronRight size={18} aria-hidden />
      </ActionIcon>
      {children}
      <Text size="xs" c="dimmed" visibleFrom="sm">
        {words.hint}
      </Text>
    </Group>
  );
}

function FileFacts({ tenant, file, size }: { tenant: string; file: DatasetFile; size: Size | null }) {
  const split = splitOf(file.path);
  const url = tenantUrl(tenant, `/api/v1/datasets/${file.dataset_id}/files/${file.id}/content`, {
    download: 'true',
  });
  return (
    <Facts
      items={[
        ...(file.label === null ? [] : [[words.class, file.label] as const]),
        ...(split === null ? [] : [[words.part, text.datasets.gallery.splits[split]] as const]),
        [
          words.state,
          <StateChip
            key="state"
            state={file.status}
            look={file.status === 'valid' ? 'succeeded' : undefined}
          />,
        ],
        ...(file.reason === null ? [] : [[words.reason, file.reason] as const]),
        [words.size, size === null ? '–' : `${size.width} × ${size.height}`],
        [words.bytes, bytes(file.size_bytes)],
        [words.type, file.media_type],
        [words.added, <Time key="added" iso={file.created_at} />],
        [words.sha256, <CopyText key="sha" value={file.sha256} shown={`${file.sha256.slice(0, 12)}…`} />],
        [
          '',
          <Anchor key="download" size="sm" href={url} download>
            {words.download}
          </Anchor>,
        ],
      ]}
    />
  );
}
