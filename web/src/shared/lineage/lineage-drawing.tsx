import { Box, useComputedColorScheme } from '@mantine/core';
import {
  Background,
  Controls,
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
} from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { useMemo } from 'react';
import { text } from '../../text';
import type { LineageGraph, LineageNode } from './lineage-graph';
import { lineageLayout, NODE_HEIGHT, NODE_WIDTH } from './lineage-layout';
import { LineageThing } from './lineage-node';

type FlowNode = Node<{ readonly node: LineageNode }, 'thing'>;

const nodeTypes = { thing: ThingNode };

/** The buttons stand at the right: no node lies below them. */
const FREE = { x: 0.08, y: 0.08, right: '64px' } as const;

/** The graph from the data at the left to what serves at the right; the list beside it says the same. */
export function LineageDrawing({ graph }: { graph: LineageGraph }) {
  const scheme = useComputedColorScheme();
  const places = useMemo(() => lineageLayout(graph), [graph]);
  const nodes = graph.nodes.map(
    (node): FlowNode => ({
      id: node.id,
      type: 'thing',
      position: places.get(node.id) ?? { x: 0, y: 0 },
      data: { node },
      width: NODE_WIDTH,
      height: NODE_HEIGHT,
    }),
  );
  const edges = graph.edges.map(
    ({ from, to }): Edge => ({
      id: `${from} > ${to}`,
      source: from,
      target: to,
      markerEnd: { type: MarkerType.ArrowClosed },
      focusable: false,
    }),
  );
  const height = Math.max(220, ...[...places.values()].map(({ y }) => y + NODE_HEIGHT + 60));
  return (
    <Box h={Math.min(height, 560)} style={{ border: '1px solid var(--line)', borderRadius: 6 }}>
      <ReactFlow
        aria-label={text.lineage.label}
        colorMode={scheme}
        style={{ background: 'var(--ground)' }}
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        fitView
        fitViewOptions={{ padding: FREE, maxZoom: 1 }}
        minZoom={0.2}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        elementsSelectable={false}
        preventScrolling={false}
        zoomOnScroll={false}
      >
        <Background />
        <Controls showInteractive={false} position="top-right" />
      </ReactFlow>
    </Box>
  );
}

function ThingNode({ data }: NodeProps<FlowNode>) {
  return (
    <Box
      w={NODE_WIDTH}
      h={NODE_HEIGHT}
      px="sm"
      py={6}
      style={{
        background: 'var(--ground)',
        border: '1px solid var(--line)',
        borderRadius: 6,
        overflow: 'hidden',
        // Nodes that cannot be moved or selected take no pointer; their links do.
        pointerEvents: 'all',
      }}
    >
      <Handle type="target" position={Position.Left} isConnectable={false} style={{ opacity: 0 }} />
      <LineageThing node={data.node} />
      <Handle type="source" position={Position.Right} isConnectable={false} style={{ opacity: 0 }} />
    </Box>
  );
}
