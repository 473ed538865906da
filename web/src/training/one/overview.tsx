import { Alert, Button, Group, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTenant } from '../../app/session';
import { rangeOf } from '../../shared/charts/series';
import { metric } from '../../shared/numbers';
import { useSearchChange } from '../../shared/search-change';
import { isMoving } from '../../shared/state-chip';
import { text } from '../../text';
import { curvesQuery, type ExperimentDetail } from '../queries';
import { Attempts } from './attempts';
import { isSystem } from './metric-groups';
import { StepPlan } from './step-plan';

/** How far it is, what it waits for, and what came of it. */
export function Overview({ experiment }: { experiment: ExperimentDetail }) {
  const words = text.training.one;
  const change = useSearchChange();
  const percent = Math.round(experiment.progress * 100);
  return (
    <Stack gap="lg">
      {experiment.status === 'FAILED' && experiment.status_message !== '' && (
        <Alert
          color="red"
          variant="light"
          icon={<IconAlertTriangle aria-hidden />}
          styles={{ message: { overflowWrap: 'anywhere' } }}
        >
          <Stack gap="sm" align="flex-start">
            {experiment.status_message}
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => change({ tab: 'log' }, { only: true })}
            >
              {words.openLog}
            </Button>
          </Stack>
        </Alert>
      )}
      {isMoving(experiment.status) && (
        <Stack gap={4}>
          <Group justify="space-between">
            <Text size="sm">{experiment.status_message || words.progress}</Text>
            <Text size="sm" fw={600}>
              {percent} %
            </Text>
          </Group>
          <Progress value={percent} aria-label={words.progress} />
        </Stack>
      )}
      <Stack gap="sm">
        <Title order={2} size="h5">
          {words.steps}
        </Title>
        <StepPlan steps={experiment.steps} />
      </Stack>
      <LastValues experiment={experiment} />
      {experiment.attempt > 1 && <Attempts experiment={experiment} />}
    </Stack>
  );
}

function LastValues({ experiment }: { experiment: ExperimentDetail }) {
  const words = text.training.one;
  const tenant = useTenant();
  const { data } = useQuery(curvesQuery(tenant, experiment.id, '', isMoving(experiment.status)));
  const curves = data?.items.filter(({ key, points }) => !isSystem(key) && points.length > 0) ?? [];
  if (curves.length === 0) return null;
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        {words.results}
      </Title>
      <SimpleGrid cols={{ base: 2, xs: 3, md: 4 }} spacing="sm" component="dl" m={0}>
        {curves.map(({ key, points }) => (
          <div key={key}>
            <Text component="dt" size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {key}
            </Text>
            <Text component="dd" m={0} fz="lg" fw={600}>
              {metric(points.at(-1)?.value)}
            </Text>
            {points.length > 1 && <Range values={points.map(({ value }) => value)} />}
          </div>
        ))}
      </SimpleGrid>
    </Stack>
  );
}

/** Between which values a metric went. */
function Range({ values }: { values: ReadonlyArray<number | null> }) {
  const { least, greatest } = rangeOf(values);
  return (
    <Text component="dd" m={0} size="xs" c="dimmed">
      {text.training.charts.range(metric(least), metric(greatest))}
    </Text>
  );
}
