import { Text } from '@mantine/core';
import {
  IconCpu,
  IconDatabase,
  IconFlame,
  IconPackage,
  IconRocket,
  IconStack2,
  IconTimeline,
  IconTruckDelivery,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { StateChip } from '../state-chip';
import { text } from '../../text';
import { type Stage, StageChip } from '../stage-chip';
import type { LineageNode } from './lineage-graph';

const ICONS = {
  dataset: IconDatabase,
  training: IconFlame,
  run: IconTimeline,
  version: IconStack2,
  image: IconPackage,
  endpoint: IconRocket,
  deployment: IconTruckDelivery,
  deployments: IconTruckDelivery,
  device: IconCpu,
  devices: IconCpu,
} as const;

/** Kind, name and state of one thing, with the link to its page. */
export function LineageThing({ node }: { node: LineageNode }) {
  const Icon = ICONS[node.kind];
  return (
    <>
      <Text size="xs" c="dimmed" style={{ display: 'flex', alignItems: 'center', gap: 4 }}>
        <Icon size={13} aria-hidden /> {text.lineage.kinds[node.kind]}
        {node.detail !== null && <span className="mono">{node.detail}</span>}
      </Text>
      <NodeLink node={node} />
      {node.state !== null && (
        <Text component="div" size="sm">
          {node.kind === 'version' ? (
            <StageChip stage={node.state as Stage} />
          ) : (
            <StateChip
              state={node.state}
              look={node.kind === 'endpoint' && node.state === 'RUNNING' ? 'succeeded' : undefined}
            />
          )}
        </Text>
      )}
    </>
  );
}

function NodeLink({ node: { kind, label, target } }: { node: LineageNode }) {
  const { code } = useTenant();
  const page = pageOf(kind, code, label, target);
  return (
    <Text
      fw={600}
      truncate
      title={label}
      c="inherit"
      renderRoot={(props: object) => <Link {...(page as { to: string })} {...props} />}
    >
      {label}
    </Text>
  );
}

function pageOf(kind: LineageNode['kind'], tenant: string, label: string, target: string) {
  switch (kind) {
    case 'dataset':
      return { to: '/t/$tenant/datasets/$datasetId', params: { tenant, datasetId: target } };
    case 'training':
      return { to: '/t/$tenant/training/$experimentId', params: { tenant, experimentId: target } };
    case 'run':
      return { to: '/t/$tenant/runs/$runId', params: { tenant, runId: target } };
    case 'version':
      return {
        to: '/t/$tenant/models/$name/$version',
        params: { tenant, name: label.slice(0, label.lastIndexOf(' ')), version: target },
      };
    case 'image':
      return { to: '/t/$tenant/images', params: { tenant }, search: { q: label } };
    case 'endpoint':
      return { to: '/t/$tenant/serving/$endpoint', params: { tenant, endpoint: target } };
    case 'deployment':
      return { to: '/t/$tenant/deployments/$deploymentId', params: { tenant, deploymentId: target } };
    case 'deployments':
      return {
        to: '/t/$tenant/deployments',
        params: { tenant },
        search: { model: target.slice(0, target.lastIndexOf(':')) },
      };
    case 'device':
      return { to: '/t/$tenant/edge/$deviceId', params: { tenant, deviceId: target } };
    case 'devices':
      return { to: '/t/$tenant/edge', params: { tenant }, search: { runs: target } };
  }
}
