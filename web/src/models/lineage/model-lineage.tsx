import { Stack, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useTenant } from '../../app/session';
import { Reading } from '../../shared/reading';
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
  const open = queries.find(({ error }) => error !== null) ?? queries.find(({ data }) => data === undefined);
  if (open !== undefined && open.data === undefined) return <Reading query={open} />;
  return (
    <Stack gap="sm">
      {open && <Reading query={open} />}
      <Text c="dimmed">{text.lineage.hint}</Text>
      <Lineage versions={queries.flatMap((query) => query.data ?? [])} />
    </Stack>
  );
}
