import { Group, Stack, Text } from '@mantine/core';
import { isMoving, StateChip } from '../../shared/state-chip';
import { durationBetween, useNow } from '../../shared/time';
import { text } from '../../text';
import type { Deletion } from '../queries';
import { removedText } from './removed-text';

/** The checklist of an erasure: what is done, what runs, what it removed, how long it took. */
export function DeletionSteps({ steps }: { steps: Deletion['steps'] }) {
  const words = text.admin.deletion;
  const now = useNow(steps.some(({ status }) => status === 'running') ? 1_000 : null);
  return (
    <Stack component="ol" gap={0} m={0} p={0} style={{ listStyle: 'none' }} aria-label={words.steps}>
      {steps.map((step) => {
        const removed = removedText(step.counts as Record<string, number>);
        return (
          <Group
            key={step.key}
            component="li"
            wrap="wrap"
            gap="sm"
            py="sm"
            align="flex-start"
            style={{ borderBottom: '1px solid var(--line)' }}
          >
            <span style={{ width: 100, flexShrink: 0 }}>
              <StateChip state={step.status} />
            </span>
            <Stack gap={0} style={{ flex: '1 1 220px', minWidth: 0 }}>
              <Text fw={500}>{step.title}</Text>
              {step.message !== '' && (
                <Text
                  size="sm"
                  c={step.status === 'failed' ? 'var(--state-failed)' : 'dimmed'}
                  style={{ overflowWrap: 'anywhere' }}
                >
                  {step.message}
                </Text>
              )}
              {step.message === '' && removed !== '' && (
                <Text size="sm" c="dimmed">
                  {removed}
                </Text>
              )}
            </Stack>
            <Text size="sm" c="dimmed" ta="right">
              {step.started_at !== null && (isMoving(step.status) || step.finished_at !== null)
                ? durationBetween(step.started_at, step.finished_at, now)
                : ''}
              {step.runs > 1 && ` · ${words.stepRuns(step.runs)}`}
            </Text>
          </Group>
        );
      })}
    </Stack>
  );
}
