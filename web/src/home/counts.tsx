import { Group, Paper, SimpleGrid, Text } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { Schemas } from '../api/client';
import { useTenant } from '../app/session';
import { count } from '../shared/numbers';
import { text } from '../text';

const words = text.home;

interface CountsProps {
  readonly datasets: number;
  readonly trainings: number;
  readonly models: Schemas['ModelSummaryOut'];
  readonly endpoints: ReadonlyArray<Schemas['EndpointOut']>;
}

/** How much there is of each, as ways to it. */
export function Counts({ datasets, trainings, models, endpoints }: CountsProps) {
  const running = endpoints.filter(({ status }) => status === 'RUNNING').length;
  return (
    <SimpleGrid component="nav" aria-label={words.counts} cols={{ base: 2, md: 4 }} spacing="sm">
      <Amount to="/t/$tenant/datasets" label={words.datasets} amount={datasets} />
      <Amount to="/t/$tenant/training" label={words.trainings} amount={trainings} />
      <Amount
        to="/t/$tenant/models"
        label={words.models}
        amount={models.models}
        note={words.inProduction(models.production)}
      />
      <Amount
        to="/t/$tenant/serving"
        label={words.endpoints}
        amount={endpoints.length}
        note={words.running(running)}
      />
    </SimpleGrid>
  );
}

interface AmountProps {
  readonly to: LinkProps['to'];
  readonly label: string;
  readonly amount: number;
  readonly note?: string;
}

function Amount({ to, label, amount, note }: AmountProps) {
  const { code } = useTenant();
  return (
    <Paper
      withBorder
      p="md"
      c="inherit"
      td="none"
      renderRoot={(props: object) => <Link to={to} params={{ tenant: code } as never} {...props} />}
    >
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Group gap="sm" align="baseline">
        <Text size="xl" fw={650}>
          {count(amount)}
        </Text>
        {note !== undefined && amount > 0 && (
          <Text size="sm" c="dimmed">
            {note}
          </Text>
        )}
      </Group>
    </Paper>
  );
}
