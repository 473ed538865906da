import { Checkbox, Group } from '@mantine/core';
import { text } from '../../text';
import type { Drawing } from '../annotations/drawn.types';
import type { Layers } from '../annotations/overlay';

const words = text.datasets.gallery;

interface SwitchesProps {
  readonly layers: Layers;
  readonly onLayers: (layers: Layers) => void;
  /** Switches for what it has; null: for all. */
  readonly drawing?: Drawing | null;
}

/** What is drawn over the pictures. */
export function LayerSwitches({ layers, onLayers, drawing = null }: SwitchesProps) {
  const has = (test: (object: Drawing['objects'][number]) => boolean) =>
    drawing === null || drawing.objects.some(test);
  const all: ReadonlyArray<readonly [keyof Layers, string, boolean]> = [
    ['boxes', words.overlay, has(({ box }) => box !== null)],
    ['masks', words.masks, has(({ mask, polygons }) => mask !== null || polygons.length > 0)],
    ['points', words.keypoints, has(({ points }) => points.length > 0)],
  ];
  return (
    <Group gap="md">
      {all.map(([name, label, isThere]) =>
        isThere ? (
          <Checkbox
            key={name}
            size="sm"
            label={label}
            checked={layers[name]}
            onChange={(event) => onLayers({ ...layers, [name]: event.currentTarget.checked })}
          />
        ) : null,
      )}
    </Group>
  );
}
