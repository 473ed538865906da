import { List, Text } from '@mantine/core';
import { text } from '../../text';
import type { LineageGraph } from './lineage-graph';
import { LineageThing } from './lineage-node';

/** The graph in words: each thing, and what it is made of. */
export function LineageList({ graph }: { graph: LineageGraph }) {
  const labels = new Map(graph.nodes.map((node) => [node.id, node]));
  return (
    <List listStyleType="none" spacing="sm" aria-label={text.lineage.label}>
      {graph.nodes.map((node) => {
        const parents = graph.edges.flatMap(({ from, to }) =>
          to === node.id ? (labels.get(from)?.label ?? []) : [],
        );
        return (
          <List.Item key={node.id}>
            <LineageThing node={node} />
            {parents.length > 0 && (
              <Text size="sm" c="dimmed">
                {text.lineage.madeOf} {parents.join(', ')}
              </Text>
            )}
          </List.Item>
        );
      })}
    </List>
  );
}
