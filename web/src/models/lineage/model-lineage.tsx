import { Stack, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useTenant } from '../../app/session';
import { ErrorCard } from '../../shared/error-card';
import { Loading } from '../../shared/loading';
import { text } from '../../text';
import type { Model } from '../queries';
import { versionQuery } from '../../shared/model-versions';
import { Lineage } from '../../shared/lineage/lineage';

/** So many versions are drawn together. */
const MOST = 6;

/** Lineage of the versions that matter now: those in Production and Staging, and the latest. */
export function ModelLineage({ model }: { model: Model }) {
  const tenant = useTenant();
  const { production, staging } = model.stages;
  const latest = model.latest_version === null ? [] : [model.latest_version];
  const numbers = [...new Set([...production, ...latest, ...staging])].slice(0, MOST);
  const queries = useQueries({
    queries: numbers.map((version) => versionQuery(tenant, model.name, version)),
  });
  const failed = queries.find((query) => query.isError);
  if (failed) return <ErrorCard error={failed.error} onRetry={() => void failed.refetch()} />;
  if (queries.some((query) => query.isPending)) return <Loading />;
  return (
    <Stack gap="sm">
      <Text c="dimmed">{text.lineage.hint}</Text>
      <Lineage versions={queries.flatMap((query) => query.data ?? [])} />
    </Stack>
  );
}
