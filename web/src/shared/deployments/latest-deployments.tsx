import { Reading } from '../reading';
import { Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { SteadyTable } from '../list/steady-table';
import { DEPLOYMENT_COLUMNS } from './deployment-columns';
import type { Deployment } from './queries';

/** At the side of something else the least is shown. */
const SHOWN = ['name', 'status', 'progress', 'target', 'created'];
const COLUMNS = DEPLOYMENT_COLUMNS.filter(({ id }) => SHOWN.includes(id));

interface LatestProps {
  readonly label: string;
  readonly query: UseQueryResult<{ readonly items: readonly Deployment[] }>;
  readonly none: string;
}

/** Deployments of one device or of one version. */
export function LatestDeployments({ label, query, none }: LatestProps) {
  if (query.data === undefined) return <Reading query={query} lines={3} />;
  const rows = query.data.items;
  if (rows.length === 0) return <Text c="dimmed">{none}</Text>;
  return (
    <>
      <Reading query={query} />
      <SteadyTable label={label} columns={COLUMNS} fresh={rows} keyOf={({ id }) => id} query={query} />
    </>
  );
}
