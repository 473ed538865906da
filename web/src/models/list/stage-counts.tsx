import { SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { CountCard } from '../../shared/count-card';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { summaryQuery } from '../queries';
import { StageChip } from '../../shared/stage-chip';
import { STAGES } from '../stages/stages';

const route = getRouteApi('/signed-in/t/$tenant/models');

/** How many models and versions there are in each stage; each count leads to the models behind it. */
export function StageCounts() {
  const tenant = useTenant();
  const query = useQuery(summaryQuery(tenant));
  const search = route.useSearch();
  if (query.error !== null && query.data === undefined) return <Reading query={query} />;
  const { data } = query;
  return (
    <nav aria-label={text.models.countsLabel}>
      <SimpleGrid cols={{ base: 2, xs: 3, md: 5 }} spacing="sm">
        <CountCard
          to="/t/$tenant/models"
          value={data?.models}
          label={text.models.counts.models}
          search={{}}
          isOn={search.stage === undefined && search.production === undefined}
        />
        {STAGES.map(({ stage, key }) => (
          <CountCard
            key={key}
            to="/t/$tenant/models"
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
