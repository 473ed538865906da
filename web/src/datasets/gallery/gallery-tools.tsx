import { Group, SegmentedControl, Select } from '@mantine/core';
import { SearchBox } from '../../shared/list/search-box';
import type { SearchChange } from '../../shared/search-change';
import { text } from '../../text';
import type { Layers } from '../annotations/overlay';
import type { GalleryFilter } from './gallery-filter';
import { LayerSwitches, layersOfTasks } from './layer-switches';

const words = text.datasets.gallery;
export const SIDES = { s: 104, m: 168, l: 280 } as const;
export type SideName = keyof typeof SIDES;

interface ToolsProps {
  readonly filter: GalleryFilter;
  readonly change: SearchChange;
  readonly classes: readonly string[];
  readonly hasSplits: boolean;
  readonly layers: Layers;
  readonly onLayers: (layers: Layers) => void;
  readonly hasObjects: boolean;
  /** That the dataset serves. */
  readonly tasks: readonly string[];
  readonly side: SideName;
  readonly onSide: (side: SideName) => void;
}

/** Filters and looks of the wall. */
export function GalleryTools(props: ToolsProps) {
  const { filter, change } = props;
  const select = (
    key: 'class' | 'split' | 'status',
    label: string,
    data: Array<{ value: string; label: string }>,
  ) => (
    <Select
      size="sm"
      w={150}
      aria-label={label}
      placeholder={label}
      clearable
      searchable={data.length > 12}
      limit={200}
      clearButtonProps={{ 'aria-label': text.lists.clearFilter(label) }}
      data={data}
      value={filter[key]}
      onChange={(value) => change({ [key]: value ?? undefined, finding: undefined })}
    />
  );
  const optionsOf = (names: Readonly<Record<string, string>>) =>
    Object.entries(names).map(([value, label]) => ({ value, label }));
  return (
    <Group gap="sm" wrap="wrap" role="search">
      <SearchBox
        label={words.search}
        hint={words.search}
        width={190}
        q={filter.q ?? ''}
        onSearch={(q) => change({ q: q || undefined, finding: undefined }, { replace: true })}
      />
      {props.classes.length > 0 &&
        select(
          'class',
          words.class,
          props.classes.map((name) => ({ value: name, label: name })),
        )}
      {props.hasSplits && select('split', words.split, optionsOf(words.splits))}
      {select('status', words.status, optionsOf(words.states))}
      <Group gap="md" ml="auto">
        {props.hasObjects && (
          <LayerSwitches
            layers={props.layers}
            onLayers={props.onLayers}
            offered={layersOfTasks(props.tasks)}
          />
        )}
        <SegmentedControl
          size="xs"
          aria-label={words.size}
          value={props.side}
          onChange={(side) => props.onSide(side as SideName)}
          data={optionsOf(words.sizes)}
        />
      </Group>
    </Group>
  );
}
