import { Anchor, Text } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { useTenant } from '../../../app/session';
import type { Deployment } from '../../../shared/deployments/queries';
import { DeviceLink } from '../../../shared/links';
import { type Column, listPart, listQuery } from '../../../shared/list/column';
import { List } from '../../../shared/list/list-page';
import { ProgressText } from '../../../shared/progress-text';
import { Time } from '../../../shared/time';
import { text } from '../../../text';
import { type DeployedDevice, deploymentKey, isUnderWay, listDeployedDevices } from '../queries';
import { DEVICE_STEPS, DeviceStepChip } from './device-step';
import { usePageCurl } from '../../../shared/page-curl';

const words = text.deployments.page;

const FILTERS = [
  {
    key: 'step',
    label: words.devices.step,
    options: DEVICE_STEPS.map((value) => ({ value, label: words.stepNames[value] })),
  },
];

const COLUMNS: readonly Column<DeployedDevice>[] = [
  { id: 'device', label: words.devices.device, cell: ({ device_id: id }) => <DeviceLink id={id} /> },
  { id: 'step', label: words.devices.step, cell: (row) => <DeviceState device={row} /> },
  { id: 'group', label: words.devices.group, align: 'right', cell: ({ group }) => group },
  {
    id: 'message',
    label: words.devices.message,
    cell: ({ message }) => (
      <Text size="sm" maw={380} style={{ overflowWrap: 'anywhere' }}>
        {message ?? '–'}
      </Text>
    ),
  },
  {
    id: 'from',
    label: words.devices.from,
    align: 'right',
    cell: ({ from_version: before }) => before ?? words.devices.nothing,
  },
  {
    id: 'to',
    label: words.devices.to,
    align: 'right',
    cell: ({ version, rollback }) => (rollback ? words.devices.back(version) : version),
  },
  { id: 'started', label: words.devices.started, cell: ({ started_at: at }) => <Time iso={at} /> },
  { id: 'finished', label: words.devices.finished, cell: ({ finished_at: at }) => <Time iso={at} /> },
  { id: 'log', label: words.tabs.log, cell: ({ device_id: id }) => <LogLink device={id} /> },
];

/** Where each device is, and what it says. */
export function DevicesTab({ deployment }: { deployment: Deployment }) {
  const tenant = useTenant();
  const search = listPart(useSearch({ strict: false }), 'step');
  const { id } = deployment;
  usePageCurl({ path: `/api/v1/deployments/${id}/devices`, query: listQuery(search) });
  return (
    <List<DeployedDevice>
      label={words.devices.label}
      search={search}
      queryKey={[...deploymentKey(tenant, id), 'devices', search]}
      queryFn={({ signal }) => listDeployedDevices(tenant, id, search, signal)}
      columns={COLUMNS}
      keyOf={({ device_id: device }) => device}
      filters={FILTERS}
      isSearchable={false}
      everyMs={isUnderWay(deployment) ? 5_000 : 60_000}
      empty={<Text c="dimmed">{words.devices.empty}</Text>}
    />
  );
}

/** To the lines of one device. */
const LogLink = ({ device }: { device: string }) => (
  <Anchor
    size="sm"
    aria-label={words.devices.logOf(device)}
    renderRoot={(props: object) => (
      <Link
        from="/t/$tenant/deployments/$deploymentId"
        to="/t/$tenant/deployments/$deploymentId"
        search={{ tab: 'log', device }}
        {...props}
      />
    )}
  >
    {words.tabs.log}
  </Anchor>
);

function DeviceState({ device: { step, progress } }: { device: DeployedDevice }) {
  const isAtIt = step === 'downloading' || step === 'installing' || step === 'verifying';
  return (
    <>
      <DeviceStepChip step={step} />{' '}
      {isAtIt && progress !== null && <ProgressText percent={progress * 100} label={words.stepNames[step]} />}
    </>
  );
}
