import { Box, Text, UnstyledButton } from '@mantine/core';
import { memo, useState } from 'react';
import { StateChip } from '../../shared/state-chip';
import { text } from '../../text';
import { type Layers, Overlay } from '../annotations/overlay';
import { uprightSize } from '../annotations/upright';
import { type Annotations, useDrawing } from '../annotations/use-annotations';
import type { DatasetDetail, DatasetFile } from '../queries';
import { type Size, Thumb } from './thumb';

interface TileProps {
  readonly tenant: string;
  readonly dataset: DatasetDetail;
  readonly file: DatasetFile;
  readonly annotations: Annotations;
  readonly layers: Layers;
  readonly index: number;
  /** Must keep its identity between renders. */
  readonly onOpen: (file: DatasetFile, index: number) => void;
}

/** One picture of the wall with what is drawn over it. */
export const PhotoTile = memo(function PhotoTile(props: TileProps) {
  const { tenant, dataset, file, index, annotations, layers, onOpen } = props;
  const [shown, setShown] = useState<Size | null>(null);
  const size = uprightSize(file, shown);
  const isDrawn = layers.boxes || layers.masks || layers.points;
  const { data: drawing } = useDrawing(dataset, file, annotations, shown === null ? null : size);
  return (
    <UnstyledButton
      onClick={() => onOpen(file, index)}
      aria-label={text.datasets.gallery.open(file.path)}
      title={file.path}
      w="100%"
      h="100%"
      style={{
        position: 'relative',
        overflow: 'hidden',
        borderRadius: 4,
        background: 'var(--ground-quiet)',
        border: '1px solid var(--line)',
      }}
    >
      {file.kind === 'image' ? (
        <Thumb tenant={tenant} file={file} alt="" onSize={setShown} />
      ) : (
        <Text size="xs" c="dimmed" p="sm" className="mono" style={{ overflowWrap: 'anywhere' }}>
          {file.path}
        </Text>
      )}
      {isDrawn && drawing && size && shown && (
        <Overlay
          drawing={drawing}
          width={size.width}
          height={size.height}
          classes={annotations.classes}
          layers={layers}
          fit="slice"
        />
      )}
      {(file.label !== null || file.status !== 'valid') && (
        <Box
          px={6}
          style={{
            position: 'absolute',
            left: 0,
            bottom: 0,
            maxWidth: '100%',
            background: 'var(--ground)',
            borderTopRightRadius: 4,
          }}
        >
          {file.status === 'valid' ? (
            <Text size="xs" truncate>
              {file.label}
            </Text>
          ) : (
            <StateChip state={file.status} />
          )}
        </Box>
      )}
    </UnstyledButton>
  );
});
