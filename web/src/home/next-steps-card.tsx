import { Button, Group, Paper, SimpleGrid, Stack, Text, VisuallyHidden } from '@mantine/core';
import { IconCircle, IconCircleCheck } from '@tabler/icons-react';
import { Link, type LinkProps } from '@tanstack/react-router';
import { useState } from 'react';
import { type Permission, useTenant } from '../app/session';
import { Allowed } from '../shared/allowed';
import { text } from '../text';
import { type Amounts, type NextStep, nextSteps, type StepKey } from './next-steps';
import { Section } from './section';

const PLACES: Readonly<Record<StepKey, { readonly to: LinkProps['to']; readonly needs: Permission }>> = {
  dataset: { to: '/t/$tenant/datasets/new', needs: 'DATASET_WRITE' },
  training: { to: '/t/$tenant/training/new', needs: 'DEVELOP' },
  model: { to: '/t/$tenant/training', needs: 'MODEL_REGISTER' },
  endpoint: { to: '/t/$tenant/serving/new', needs: 'DEPLOY' },
};

/** The way to a served model as a checklist. Once it is walked it stays until the page is left, so that nothing moves. */
export function NextSteps({ has }: { has: Amounts }) {
  const steps = nextSteps(has);
  const [isShown] = useState(() => steps.some(({ isDone }) => !isDone));
  if (!isShown) return null;
  return (
    <Section title={text.home.next}>
      <Paper withBorder p="md">
        <SimpleGrid
          component="ol"
          cols={{ base: 1, sm: 2, lg: 4 }}
          spacing="md"
          m={0}
          p={0}
          style={{ listStyle: 'none' }}
        >
          {steps.map((step) => (
            <Step key={step.key} step={step} />
          ))}
        </SimpleGrid>
      </Paper>
    </Section>
  );
}

function Step({ step: { key, isDone, isNext } }: { step: NextStep }) {
  const { code } = useTenant();
  const [title = key, hint = '', action = key] = text.home.steps[key] ?? [];
  const { to, needs } = PLACES[key];
  const Icon = isDone ? IconCircleCheck : IconCircle;
  return (
    <Group
      component="li"
      gap="sm"
      wrap="nowrap"
      align="flex-start"
      aria-current={isNext ? 'step' : undefined}
    >
      <Icon
        size={18}
        aria-hidden
        style={{
          color: isDone ? 'var(--state-succeeded)' : 'var(--state-stopped)',
          flexShrink: 0,
          marginTop: 2,
        }}
      />
      <Stack gap={4} align="flex-start">
        <Text fw={isNext ? 600 : 400} c={isDone ? 'dimmed' : undefined}>
          {title}
          <VisuallyHidden>: {isDone ? text.home.done : text.home.open}</VisuallyHidden>
        </Text>
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
        {isNext && (
          <Allowed to={needs}>
            <Button
              size="compact-md"
              renderRoot={(props: object) => <Link to={to} params={{ tenant: code } as never} {...props} />}
            >
              {action}
            </Button>
          </Allowed>
        )}
      </Stack>
    </Group>
  );
}
