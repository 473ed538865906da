import { Checkbox, Group } from '@mantine/core';
import { text } from '../../text';
import type { Drawing } from '../annotations/drawn.types';
import type { Layers } from '../annotations/overlay';

const words = text.datasets.gallery;

interface SwitchesProps {
  readonly layers: Layers;
  readonly onLayers: (layers: Layers) => void;
  /** Layers that the pictures have. */
  readonly offered: Readonly<Record<keyof Layers, boolean>>;
}

/** What a picture has. */
export const layersOf = (drawing: Drawing | null): Readonly<Record<keyof Layers, boolean>> => {
  const has = (test: (object: Drawing['objects'][number]) => boolean) => drawing?.objects.some(test) ?? false;
  return {
    boxes: has(() => true),
    masks: has(({ mask, polygons, isTurned }) => mask !== null || (polygons.length > 0 && !isTurned)),
    points: has(({ points }) => points.length > 0),
  };
};

/** What pictures of a dataset that serves these tasks may have. */
export const layersOfTasks = (tasks: readonly string[]): Readonly<Record<keyof Layers, boolean>> => ({
  boxes: true,
  masks: tasks.some((task) => task.endsWith('segmentation')),
  points: tasks.includes('pose'),
});

/** What is drawn over the pictures. */
export function LayerSwitches({ layers, onLayers, offered }: SwitchesProps) {
  const all: ReadonlyArray<readonly [keyof Layers, string]> = [
    ['boxes', words.overlay],
    ['masks', words.masks],
    ['points', words.keypoints],
  ];
  return (
    <Group gap="md">
      {all.map(([name, label]) =>
        offered[name] ? (
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
