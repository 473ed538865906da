import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client';
import { useTenant } from '../../app/session';
import { latestDeploymentsQuery } from '../../shared/deployments/queries';
import { DeviceState } from '../../shared/device-state';
import { DeviceLink } from '../../shared/links';
import type { Column } from '../../shared/list/column';
import { SteadyTable } from '../../shared/list/steady-table';
import { Time } from '../../shared/time';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { FieldSections } from '../devices/field-sections';
import { devicesQuery, type VersionDetail } from '../queries';
import { usePageCurl } from '../../shared/page-curl';

const words = text.models.devices;
const SHOWN = 20;

const COLUMNS: ReadonlyArray<Column<Schemas['DeviceOut']>> = [
  { id: 'id', label: words.device, cell: ({ id }) => <DeviceLink id={id} /> },
  { id: 'status', label: words.status, cell: ({ status }) => <DeviceState status={status} /> },
  { id: 'location', label: words.location, cell: ({ location }) => location ?? '–' },
  {
    id: 'heartbeat',
    label: words.heartbeat,
    cell: ({ snapshot }) => <Time iso={snapshot.last_heartbeat} />,
  },
];

/** Where a version is in the field, and the deployments that brought it there. */
export function Devices({ version: { name, version } }: { version: VersionDetail }) {
  const deployments = useQuery(latestDeploymentsQuery(useTenant(), { model: name, version }, SHOWN));
  return (
    <FieldSections
      title={words.title}
      deploy={{ model: name, version: String(version) }}
      deployments={{
        label: text.deployments.ofVersion,
        query: deployments,
        none: text.deployments.ofVersionNone,
      }}
    >
      <Installed name={name} version={version} />
    </FieldSections>
  );
}

function Installed({ name, version }: { name: string; version: number }) {
  const tenant = useTenant();
  usePageCurl({ path: '/api/v1/edge/fleet', query: { model: name, version, page_size: 20 } });
  const query = useQuery(devicesQuery(tenant, name, version));
  if (query.data === undefined) return <Reading query={query} lines={3} />;
  const { items, total } = query.data;
  if (total === 0) return <Text c="dimmed">{words.none}</Text>;
  return (
    <Stack gap="sm">
      <Reading query={query} />
      <SteadyTable
        label={words.title}
        columns={COLUMNS}
        fresh={items}
        keyOf={({ id }) => id}
        query={query}
        view={`${name} ${version}`}
      />
      {total > items.length && (
        <Anchor
          renderRoot={(props: object) => (
            <Link
              to="/t/$tenant/edge"
              params={{ tenant: tenant.code }}
              search={{ runs: `${name}:${version}` }}
              {...props}
            />
          )}
        >
          {words.all(total)}
        </Anchor>
      )}
    </Stack>
  );
}
