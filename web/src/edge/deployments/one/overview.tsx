import { Group, Paper, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { CountCard } from '../../../shared/count-card';
import type { Deployment } from '../../../shared/deployments/queries';
import { StepMark, stepColour } from '../../../shared/step-mark';
import type { TabSearch } from '../../../shared/tabs';
import { text } from '../../../text';
import { DeviceStepChip } from './device-step';
import { Groups } from './groups';
import { stepCounts } from './step-counts';

const words = text.deployments.page;

/** How far it is, where its devices are, and how its groups do. */
export function Overview({ deployment }: { deployment: Deployment }) {
  const percent = Math.round(deployment.progress * 100);
  return (
    <Stack gap="lg">
      <Stack gap={4}>
        <Group justify="space-between" gap="sm">
          <Text size="sm">{deployment.message || words.progress}</Text>
          <Text size="sm" fw={600}>
            {percent} %
          </Text>
        </Group>
        <Progress value={percent} aria-label={words.progress} />
      </Stack>
      <Counts deployment={deployment} />
      <Steps steps={deployment.steps} />
      <Groups groups={deployment.groups} />
    </Stack>
  );
}

function Counts({ deployment }: { deployment: Deployment }) {
  const search: TabSearch = useSearch({ strict: false });
  return (
    <SimpleGrid component="nav" aria-label={words.counts} cols={{ base: 2, xs: 3, lg: 6 }} spacing="sm">
      {stepCounts(deployment).map(({ step, count }) => (
        <CountCard
          key={step}
          to="/t/$tenant/deployments/$deploymentId"
          params={{ deploymentId: deployment.id }}
          value={count}
          label={<DeviceStepChip step={step} />}
          search={{ tab: 'devices', step }}
          isOn={search.step === step}
        />
      ))}
    </SimpleGrid>
  );
}

function Steps({ steps }: Pick<Deployment, 'steps'>) {
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        {words.steps}
      </Title>
      <Paper withBorder component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
        {steps.map(({ step, status, message, at, done, failed }, place) => (
          <li
            key={step}
            style={{ padding: '8px 12px', borderTop: place === 0 ? undefined : '1px solid var(--line)' }}
          >
            <Group gap="sm" wrap="nowrap" align="flex-start">
              <StepMark status={status} />
              <Stack gap={2} style={{ flex: 1, minWidth: 0 }}>
                <Group justify="space-between" gap="sm">
                  <Text fw={500}>
                    {words.stepNames[step]}{' '}
                    <Text component="span" size="sm" fw={400} style={{ color: stepColour(status) }}>
                      {words.stepStates[status]}
                    </Text>
                  </Text>
                  <Text size="sm" c="dimmed">
                    {words.stepCounts(at, done, failed)}
                  </Text>
                </Group>
                {message !== '' && (
                  <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                    {message}
                  </Text>
                )}
              </Stack>
            </Group>
          </li>
        ))}
      </Paper>
    </Stack>
  );
}
