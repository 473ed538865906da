import { Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTenant } from '../../app/session';
import { versionQuery } from '../../shared/model-versions';
import { metric } from '../../shared/numbers';
import { Time } from '../../shared/time';
import { text } from '../../text';
import { VersionLink } from '../../shared/links';
import { mainMetrics } from '../metrics';
import type { Model, ModelVersion } from '../queries';
import { StageChip } from '../../shared/stage-chip';

interface HeldProps {
  readonly model: Model;
  /** Versions that were read; one of a stage may be older than these. */
  readonly versions: readonly ModelVersion[];
}

/** What is in Production and Staging now, with the metrics that matter most. */
export function HeldStages({ model, versions }: HeldProps) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      {(['Production', 'Staging'] as const).map((stage) => {
        const held = model.stages[stage === 'Production' ? 'production' : 'staging'];
        return (
          <Paper key={stage} withBorder p="md">
            <Stack gap="xs">
              <StageChip stage={stage} />
              {held.length === 0 && <Text c="dimmed">{text.models.model.noneInStage(stage)}</Text>}
              {held.map((number) => (
                <HeldVersion
                  key={number}
                  name={model.name}
                  number={number}
                  listed={versions.find(({ version }) => version === number)}
                />
              ))}
            </Stack>
          </Paper>
        );
      })}
    </SimpleGrid>
  );
}

interface HeldVersionProps {
  readonly name: string;
  readonly number: number;
  /** Undefined where it is older than those that were read: it is read by itself. */
  readonly listed: ModelVersion | undefined;
}

function HeldVersion({ name, number, listed }: HeldVersionProps) {
  const own = useQuery({ ...versionQuery(useTenant(), name, number), enabled: listed === undefined });
  const version = listed ?? own.data;
  return (
    <Group gap="md" wrap="wrap">
      <VersionLink name={name} version={number}>
        {text.models.version(number)}
      </VersionLink>
      {version !== undefined &&
        mainMetrics(version.metrics, 2).map(([key, value]) => (
          <Text key={key} size="sm">
            <Text span c="dimmed" size="sm">
              {key}
            </Text>{' '}
            {metric(value)}
          </Text>
        ))}
      {version !== undefined && (
        <Text size="sm" c="dimmed">
          <Time iso={version.updated_at} />
        </Text>
      )}
    </Group>
  );
}
