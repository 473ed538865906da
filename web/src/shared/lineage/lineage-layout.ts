import dagre from '@dagrejs/dagre';
import type { LineageGraph } from './lineage-graph.ts';

export const NODE_WIDTH = 168;
export const NODE_HEIGHT = 80;

/** Upper left corner of each node, from the data at the left to what serves at the right. */
export function lineageLayout({ nodes, edges }: LineageGraph): ReadonlyMap<string, { x: number; y: number }> {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 24, ranksep: 34 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of nodes) graph.setNode(id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const { from, to } of edges) graph.setEdge(from, to);
  dagre.layout(graph);
  return new Map(
    nodes.map(({ id }) => {
      const { x, y } = graph.node(id) as { x: number; y: number };
      return [id, { x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 }];
    }),
  );
}
