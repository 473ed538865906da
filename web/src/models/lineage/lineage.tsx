import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useSearchChange } from '../../shared/list/list-page';
import { Loading } from '../../shared/loading';
import type { TabSearch } from '../../shared/tabs';
import { text } from '../../text';
import { type LineageSource, lineageGraph } from './lineage-graph';
import { LineageList } from './lineage-list';

/** The drawing needs libraries that no other page has. */
const LineageDrawing = lazy(async () => ({ default: (await import('./lineage-drawing')).LineageDrawing }));

const words = text.models.lineage;

/** Where versions come from and what serves them, drawn or as a list. */
export function Lineage({ versions }: { versions: readonly LineageSource[] }) {
  const { form }: TabSearch = useSearch({ strict: false });
  const change = useSearchChange();
  const graph = lineageGraph(versions);
  const isServed = graph.nodes.some(({ kind }) => kind === 'endpoint');
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
      {form === 'list' ? (
        <LineageList graph={graph} />
      ) : (
        <Suspense fallback={<Loading />}>
          <LineageDrawing graph={graph} />
        </Suspense>
      )}
      {!isServed && <Text c="dimmed">{words.noEndpoint}</Text>}
    </Stack>
  );
}
