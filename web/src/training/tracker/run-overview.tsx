import { Stack } from '@mantine/core';
import { text } from '../../text';
import { MetricTable } from './metric-table';
import { PairTable } from './pair-table';
import type { Run } from './queries';

/** What was logged about a run: metrics, params, tags. */
export function RunOverview({ run }: { run: Run }) {
  const words = text.training.tracker;
  return (
    <Stack gap="lg">
      <MetricTable run={run} />
      <PairTable title={words.params} rows={sorted(run.params as Readonly<Record<string, string>>)} />
      <PairTable title={words.tags} rows={sorted(run.tags as Readonly<Record<string, string>>)} />
    </Stack>
  );
}

const sorted = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).sort(([one], [other]) => one.localeCompare(other));
