import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { text } from '../../text';
import type { Column } from '../list/column';
import { count } from '../numbers';
import { ProgressText } from '../progress-text';
import { isMoving, StateChip } from '../state-chip';
import { Time } from '../time';
import type { Deployment } from './queries';
import { targetText } from './target-text';

const words = text.deployments.columns;

export const DEPLOYMENT_COLUMNS: readonly Column<Deployment>[] = [
  { id: 'name', label: words.name, cell: (row) => <DeploymentLink deployment={row} /> },
  { id: 'status', label: words.status, cell: ({ status }) => <StateChip state={status} /> },
  { id: 'progress', label: words.progress, cell: (row) => <DeploymentProgress deployment={row} /> },
  {
    id: 'devices',
    label: words.devices,
    align: 'right',
    cell: ({ device_count: devices }) => count(devices),
  },
  { id: 'target', label: words.target, cell: (row) => targetText(row) },
  {
    id: 'message',
    label: words.message,
    cell: ({ message }) => (
      <Text size="sm" maw={340} style={{ overflowWrap: 'anywhere' }}>
        {message}
      </Text>
    ),
  },
  { id: 'by', label: words.by, cell: ({ requested_by_name: name }) => name ?? '–' },
  { id: 'created', label: words.created, cell: ({ created_at: at }) => <Time iso={at} /> },
];

function DeploymentLink({ deployment: { id, model_name: model, version } }: { deployment: Deployment }) {
  const { code } = useTenant();
  return (
    <Anchor
      fw={500}
      renderRoot={(props: object) => (
        <Link
          to="/t/$tenant/deployments/$deploymentId"
          params={{ tenant: code, deploymentId: id }}
          {...props}
        />
      )}
    >
      {text.deployments.name(model, version)}
    </Anchor>
  );
}

function DeploymentProgress({ deployment: { status, progress } }: { deployment: Deployment }) {
  const percent = Math.round(progress * 100);
  if (!isMoving(status)) return `${percent} %`;
  return <ProgressText percent={percent} label={words.progress} />;
}
