import { Code, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { StepMark, stepColour } from '../../shared/step-mark';
import { durationBetween, Time, useNow } from '../../shared/time';
import { text } from '../../text';
import type { Step } from '../queries';

/** What is done one after another, how long each took, and why one waits. */
export function StepPlan({ steps }: { steps: readonly Step[] }) {
  const now = useNow(steps.some(({ status }) => status === 'running') ? 1000 : null);
  return (
    <Paper withBorder component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
      {steps.map((step, place) => (
        <li
          key={step.key}
          data-step={step.key}
          style={{ padding: '8px 12px', borderTop: place === 0 ? undefined : '1px solid var(--line)' }}
        >
          <StepRow step={step} now={now} />
        </li>
      ))}
    </Paper>
  );
}

function StepRow({ step, now }: { step: Step; now: number }) {
  const isTraining = step.status === 'running' && step.progress > 0;
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <StepMark status={step.status} />
      <Stack gap={4} style={{ flex: 1, minWidth: 0 }}>
        <Group justify="space-between" gap="sm">
          <Text fw={500}>
            {step.title}{' '}
            <Text component="span" size="sm" fw={400} style={{ color: stepColour(step.status) }}>
              {text.training.one.step[step.status]}
            </Text>
          </Text>
          <Text size="sm" c="dimmed">
            {step.started_at !== null && durationBetween(step.started_at, step.finished_at, now)}
          </Text>
        </Group>
        {isTraining && <Progress size="sm" value={step.progress * 100} aria-label={step.title} />}
        {step.message !== '' && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {step.message}
          </Text>
        )}
        <Waiting step={step} now={now} />
      </Stack>
    </Group>
  );
}

/** The platform gives no end to a training that should have ended by now. */
const isLate = ({ key, status, eta }: Step, now: number): boolean =>
  eta === null ? key === 'train' && status === 'running' : Date.parse(eta) < now;

function Waiting({ step, now }: { step: Step; now: number }) {
  const words = text.training.one;
  const late = isLate(step, now);
  return (
    <>
      {step.reason !== null && (
        <Text size="sm">
          <Code>{step.reason}</Code> {words.reasons[step.reason] ?? ''}
        </Text>
      )}
      {(step.queue_position !== null || step.predicted_start_at !== null || step.eta !== null || late) && (
        <Group gap="md">
          {step.queue_position !== null && <Text size="sm">{words.position(step.queue_position)}</Text>}
          {step.predicted_start_at !== null && (
            <Text size="sm" c="dimmed">
              {words.begins} <Time iso={step.predicted_start_at} />
            </Text>
          )}
          {late && (
            <Text size="sm" c="dimmed">
              {words.late}
            </Text>
          )}
          {!late && step.eta !== null && (
            <Text size="sm" c="dimmed">
              {words.ends} <Time iso={step.eta} />
            </Text>
          )}
        </Group>
      )}
    </>
  );
}
