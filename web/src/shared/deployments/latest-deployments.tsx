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
  /** Those that are shown; undefined: each. */
  readonly filter?: (deployment: Deployment) => boolean;
  readonly none: string;
}

/** Deployments of one device or of one version. */
export function LatestDeployments({ label, query, filter = () => true, none }: LatestProps) {
  if (query.data === undefined) return <Reading query={query} lines={3} />;
  const rows = query.data.items.filter(filter);
  if (rows.length === 0) return <Text c="dimmed">{none}</Text>;
  return (
    <>
      <Reading query={query} />
      <SteadyTable label={label} columns={COLUMNS} fresh={rows} keyOf={({ id }) => id} query={query} />
    </>
  );
}
