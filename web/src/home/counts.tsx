import { Anchor, Group, Paper, SimpleGrid, Text } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { Schemas } from '../api/client';
import { useTenant } from '../app/session';
import { count } from '../shared/numbers';
import { text } from '../text';
import classes from './counts.module.css';

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
        part={{ label: words.inProduction(models.production), search: { production: 'true' } }}
      />
      <Amount
        to="/t/$tenant/serving"
        label={words.endpoints}
        amount={endpoints.length}
        part={{ label: words.running(running), search: { status: 'RUNNING' } }}
      />
    </SimpleGrid>
  );
}

interface AmountProps {
  readonly to: LinkProps['to'];
  readonly label: string;
  readonly amount: number;
  /** A part of them, and the filter of the list that shows it. */
  readonly part?: { readonly label: string; readonly search: Readonly<Record<string, string>> };
}

function Amount({ to, label, amount, part }: AmountProps) {
  const params = { tenant: useTenant().code } as never;
  return (
    <Paper withBorder p="md" className={classes.card}>
      <Anchor
        size="sm"
        c="dimmed"
        underline="never"
        className={classes.list}
        aria-label={`${label}: ${count(amount)}`}
        renderRoot={(props: object) => <Link to={to} params={params} {...props} />}
      >
        {label}
      </Anchor>
      <Group gap="sm" align="baseline">
        <Text size="xl" fw={650}>
          {count(amount)}
        </Text>
        {part !== undefined && amount > 0 && (
          <Anchor
            size="sm"
            c="dimmed"
            className={classes.part}
            renderRoot={(props: object) => (
              <Link to={to} params={params} search={part.search as never} {...props} />
            )}
          >
            {part.label}
          </Anchor>
        )}
      </Group>
    </Paper>
  );
}
