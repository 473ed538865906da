import { Paper, SimpleGrid, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { ErrorCard } from '../../shared/error-card';
import { count } from '../../shared/numbers';
import { text } from '../../text';
import { summaryQuery } from '../queries';
import { StageChip } from '../stages/stage-chip';
import { STAGES } from '../stages/stages';

const route = getRouteApi('/signed-in/t/$tenant/models');

/** How many models and versions there are in each stage; each count leads to the models behind it. */
export function StageCounts() {
  const tenant = useTenant();
  const query = useQuery(summaryQuery(tenant));
  const search = route.useSearch();
  if (query.isError) return <ErrorCard error={query.error} onRetry={() => void query.refetch()} />;
  const { data } = query;
  return (
    <nav aria-label={text.models.countsLabel}>
      <SimpleGrid cols={{ base: 2, xs: 3, md: 5 }} spacing="sm">
        <Count
          value={data?.models}
          label={text.models.counts.models}
          search={{}}
          isOn={search.stage === undefined && search.production === undefined}
        />
        {STAGES.map(({ stage, key }) => (
          <Count
            key={key}
            value={data?.[key]}
            label={<StageChip stage={stage} />}
            search={key === 'production' ? { production: 'true' } : { stage: key }}
            isOn={key === 'production' ? search.production === 'true' : search.stage === key}
          />
        ))}
      </SimpleGrid>
    </nav>
  );
}

interface CountProps {
  readonly value: number | undefined;
  readonly label: React.ReactNode;
  readonly search: Readonly<Record<string, string>>;
  readonly isOn: boolean;
}

function Count({ value, label, search, isOn }: CountProps) {
  const { code } = useTenant();
  return (
    <UnstyledButton
      aria-current={isOn ? 'true' : undefined}
      renderRoot={(props: object) => (
        <Link to="/t/$tenant/models" params={{ tenant: code }} search={search} {...props} />
      )}
    >
      <Paper
        withBorder
        px="md"
        py="sm"
        style={isOn ? { borderColor: 'var(--mantine-primary-color-filled)' } : undefined}
      >
        <Text size="xl" fw={600} lh={1.2}>
          {value === undefined ? '–' : count(value)}
        </Text>
        <Text size="sm" component="div" c="dimmed">
          {label}
        </Text>
      </Paper>
    </UnstyledButton>
  );
}
