import { Button, Group, Loader, Paper, Stack, Text, Title } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { ErrorCard } from '../../shared/error-card';
import { bytes, count } from '../../shared/numbers';
import { roughDuration } from '../../shared/spans';
import { Time } from '../../shared/time';
import type { Schemas } from '../../api/client';
import { text } from '../../text';
import { stepOf, type WizardStep } from './draft';
import { sentenceOf } from './findings';
import type { Check } from './use-preflight';

interface PreflightProps {
  readonly check: Check;
  /** Steps in which something that every training needs is not chosen. */
  readonly toDo: readonly WizardStep[];
  readonly onGo: (step: WizardStep) => void;
}

/** Beside each step: what is in the way, and what the training will take. */
export function Preflight({ check, toDo, onGo }: PreflightProps) {
  const words = text.training.wizard.preflight;
  return (
    <Paper withBorder p="md" component="section" aria-label={words.title}>
      <Stack gap="md">
        <Group justify="space-between" h={24}>
          <Title order={2} size="h5">
            {words.title}
          </Title>
          {check.isChecking && <Loader size="xs" role="status" aria-label={words.checking} />}
        </Group>
        <div aria-live="polite">
          {toDo.length > 0 ? <Text fw={500}>{words.toDo}</Text> : <State check={check} />}
        </div>
        {toDo.map((step) => (
          <div key={step}>
            <GoTo step={step} onGo={onGo} />
          </div>
        ))}
        {check.errors.map((finding) => (
          <Stack key={`${finding.loc.join('.')} ${finding.msg}`} gap={0} align="flex-start">
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {sentenceOf(finding)}
            </Text>
            <GoTo step={stepOf(finding.loc)} onGo={onGo} />
          </Stack>
        ))}
        {check.warnings.length > 0 && (
          <div>
            <Text size="sm" fw={600}>
              {words.warnings}
            </Text>
            {check.warnings.map((finding) => (
              <Text key={`${finding.loc.join('.')} ${finding.msg}`} size="sm">
                {sentenceOf(finding)}
              </Text>
            ))}
          </div>
        )}
        {check.failure !== null && <ErrorCard error={check.failure} onRetry={check.retry} />}
        {check.estimate !== null && <Estimate estimate={check.estimate} />}
      </Stack>
    </Paper>
  );
}

function GoTo({ step, onGo }: { step: WizardStep; onGo: (step: WizardStep) => void }) {
  const { preflight, steps } = text.training.wizard;
  return (
    <Button size="compact-xs" variant="subtle" px={0} onClick={() => onGo(step)}>
      {preflight.goTo(steps[step])}
    </Button>
  );
}

function State({ check }: { check: Check }) {
  const words = text.training.wizard.preflight;
  if (check.isPassed)
    return (
      <Group gap="xs" c="var(--state-succeeded)">
        <IconCircleCheck size={17} aria-hidden />
        <Text fw={500}>{words.passed}</Text>
      </Group>
    );
  if (check.errors.length > 0)
    return (
      <Group gap="xs" c="var(--state-failed)">
        <IconCircleX size={17} aria-hidden />
        <Text fw={500}>{words.errors(check.errors.length)}</Text>
      </Group>
    );
  return <Text c="dimmed">{check.failure === null ? `${words.checking} …` : ''}</Text>;
}

function Estimate({ estimate }: { estimate: Schemas['EstimateOut'] }) {
  const words = text.training.wizard.estimate;
  const { duration: time, queue } = estimate;
  const lasts = roughDuration(time.expected_s);
  const rows: ReadonlyArray<readonly [string, React.ReactNode, string?]> = [
    [
      words.time,
      words.timeValue(lasts, roughDuration(time.low_s), roughDuration(time.high_s)),
      time.basis === 'history' ? words.basis(time.samples) : words.catalog,
    ],
    ...(estimate.environment === null
      ? []
      : [
          [
            words.environment,
            words.environmentValue(estimate.environment.size_gb, roughDuration(estimate.environment.seconds)),
            words.environmentOnce,
          ] as const,
        ]),
    [words.memory, words.memoryValue(bytes(estimate.memory_bytes), bytes(estimate.memory_limit_bytes))],
    [words.images, words.imagesValue(count(estimate.images), count(estimate.training_images))],
    [
      words.wait,
      queue.reason === null ? (
        words.begins
      ) : (
        <>
          {queue.position !== null && `${words.position(queue.position)}. `}
          {queue.message ?? text.training.one.reasons[queue.reason]}{' '}
          {queue.predicted_start_at !== null && (
            <>
              {words.start} <Time iso={queue.predicted_start_at} />
            </>
          )}
        </>
      ),
    ],
    [
      words.cost,
      estimate.gpu_slots === 0
        ? words.cpuTime(lasts)
        : `${words.gpu(estimate.gpu_slots, estimate.gpu_available)}, ${words.gpuTime(roughDuration(time.expected_s * estimate.gpu_slots))}`,
    ],
  ];
  return (
    <Stack gap="xs" component="dl" m={0} aria-label={words.title}>
      {rows.map(([name, value, hint]) => (
        <div key={name}>
          <Text component="dt" size="xs" c="dimmed">
            {name}
          </Text>
          <Text component="dd" m={0} size="sm">
            {value}
            {hint !== undefined && (
              <Text component="span" size="xs" c="dimmed" display="block">
                {hint}
              </Text>
            )}
          </Text>
        </div>
      ))}
    </Stack>
  );
}
