import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useSearchChange } from '../search-change';
import { lazyPart } from '../lazy-part';
import type { TabSearch } from '../tabs';
import { text } from '../../text';
import { type LineageGraph, type LineageSource, lineageGraph } from './lineage-graph';
import { LineageList } from './lineage-list';

/** The drawing needs libraries that no other page has. */
const LineageDrawing = lazyPart(async () => (await import('./lineage-drawing')).LineageDrawing);

const words = text.lineage;

/** Where versions come from and what serves them. */
export function Lineage({ versions }: { versions: readonly LineageSource[] }) {
  const graph = lineageGraph(versions);
  const isServed = graph.nodes.some(({ kind }) => kind === 'endpoint');
  return (
    <Stack gap="sm">
      <LineageView graph={graph} />
      {!isServed && <Text c="dimmed">{words.noEndpoint}</Text>}
    </Stack>
  );
}

/** What was made of what, drawn or as a list. */
export function LineageView({ graph }: { graph: LineageGraph }) {
  const { form }: TabSearch = useSearch({ strict: false });
  const change = useSearchChange();
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label={words.label}
        style={{ alignSelf: 'flex-start' }}
        data={[
          { value: 'graph', label: words.graph },
          { value: 'list', label: words.list },
        ]}
        value={form === 'list' ? 'list' : 'graph'}
        onChange={(value) => change({ form: value === 'graph' ? undefined : value })}
      />
      {form === 'list' ? <LineageList graph={graph} /> : <LineageDrawing graph={graph} />}
    </Stack>
  );
}
