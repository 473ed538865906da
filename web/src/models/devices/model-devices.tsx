import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTenant } from '../../app/session';
import { latestDeploymentsQuery } from '../../shared/deployments/queries';
import type { Column } from '../../shared/list/column';
import { SteadyTable } from '../../shared/list/steady-table';
import { count as formatCount } from '../../shared/numbers';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { fieldQuery } from '../queries';
import { FieldSections } from './field-sections';
import { type InField, versionsInField } from './versions-in-field';
import { usePageCurl } from '../../shared/page-curl';

const words = text.models.devices;
const SHOWN = 20;

/** Which versions of a model are in the field, and the deployments that brought them there. */
export function ModelDevices({ name }: { name: string }) {
  const deployments = useQuery(latestDeploymentsQuery(useTenant(), { model: name }, SHOWN));
  return (
    <FieldSections
      title={words.byVersion}
      deploy={{ model: name }}
      deployments={{
        label: text.deployments.ofModel,
        query: deployments,
        none: text.deployments.ofModelNone,
      }}
    >
      <Versions name={name} />
    </FieldSections>
  );
}

function Versions({ name }: { name: string }) {
  const { code } = useTenant();
  usePageCurl({ path: '/api/v1/edge/fleet', query: { model: name, page_size: 1 } });
  const query = useQuery(fieldQuery(useTenant(), name));
  const rows = useMemo(() => (query.data ? versionsInField(query.data, name) : []), [query.data, name]);
  if (query.data === undefined) return <Reading query={query} lines={3} />;
  if (rows.length === 0) return <Text c="dimmed">{words.modelNone}</Text>;
  const columns: ReadonlyArray<Column<InField>> = [
    { id: 'version', label: words.version, cell: ({ version }) => text.models.version(version) },
    {
      id: 'count',
      label: words.count,
      cell: ({ version, count }) => (
        <Anchor
          renderRoot={(props: object) => (
            <Link
              to="/t/$tenant/edge"
              params={{ tenant: code }}
              search={{ runs: `${name}:${version}` }}
              {...props}
            />
          )}
        >
          {formatCount(count)}
        </Anchor>
      ),
    },
  ];
  return (
    <>
      <Reading query={query} />
      <SteadyTable
        label={words.byVersion}
        columns={columns}
        fresh={rows}
        keyOf={({ version }) => String(version)}
        query={query}
        view={name}
      />
    </>
  );
}
