import { Box, Text, UnstyledButton } from '@mantine/core';
import { memo, useState } from 'react';
import { StateChip } from '../../shared/state-chip';
import { text } from '../../text';
import { type Layers, Overlay } from '../annotations/overlay';
import { uprightSize } from '../annotations/upright';
import { useDrawing } from '../annotations/use-annotations';
import type { DatasetDetail, DatasetFile } from '../queries';
import { type Size, Thumb } from './thumb';

interface TileProps {
  readonly tenant: string;
  readonly dataset: DatasetDetail;
  /** Undefined while it is on its way. */
  readonly file: DatasetFile | undefined;
  /** Files whose annotations are asked for together. */
  readonly group: readonly string[];
  readonly classes: readonly string[];
  readonly layers: Layers;
  readonly index: number;
  /** Whether Tab leads to it. */
  readonly isStop: boolean;
  /** Must keep its identity between renders. */
  readonly onOpen: (file: DatasetFile, index: number) => void;
}

/** One picture of the wall with what is drawn over it. */
export const PhotoTile = memo(function PhotoTile(props: TileProps) {
  const { file, index, isStop, onOpen } = props;
  return (
    <UnstyledButton
      onClick={() => file && onOpen(file, index)}
      tabIndex={isStop ? 0 : -1}
      aria-label={file ? text.datasets.gallery.open(file.path) : text.shared.loading}
      title={file?.path}
      w="100%"
      h="100%"
      style={{
        position: 'relative',
        overflow: 'hidden',
        borderRadius: 4,
        background: 'var(--ground-quiet)',
        border: '1px solid var(--line)',
        // The head of the page lies over its upper edge.
        scrollMarginBlock: '56px 8px',
      }}
    >
      {file && <Picture key={file.id} {...props} file={file} />}
    </UnstyledButton>
  );
});

type PictureProps = Omit<TileProps, 'file'> & { readonly file: DatasetFile };

function Picture({ tenant, dataset, file, group, classes, layers }: PictureProps) {
  const [shown, setShown] = useState<Size | null>(null);
  const { drawing } = useDrawing(dataset, file, group, layers.masks || layers.points);
  const size = drawing?.size ?? uprightSize(file, shown);
  const isDrawn = layers.boxes || layers.masks || layers.points;
  return (
    <>
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
          classes={classes}
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
    </>
  );
}
