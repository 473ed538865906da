import { ActionIcon, Group, Select, Stack, Switch, Text } from '@mantine/core';
import { IconArrowsExchange } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { Page } from '../../shared/page';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { ComparisonParts } from '../compare/comparison-parts';
import { baselineFor } from '../compare/version-diff';
import { PromoteButton } from '../promotion/promote-button';
import { compareQuery, type ModelVersion } from '../queries';
import { versionsQuery } from '../../shared/model-versions';
import { StageChip } from '../../shared/stage-chip';

const route = getRouteApi('/signed-in/t/$tenant/models/$name/compare');
const words = text.models.compare;

/** Two versions of a model side by side, with the promotion beside what speaks for it. */
export function CompareVersionsPage() {
  const tenant = useTenant();
  const { name } = route.useParams();
  const versions = useQuery(versionsQuery(tenant, name));
  const params = { tenant: tenant.code, name };
  const sides = useSides(versions.data?.items ?? []);
  return (
    <Page
      title={words.title(name)}
      crumbs={[
        { label: text.models.title, to: '/t/$tenant/models', params },
        { label: name, to: '/t/$tenant/models/$name', params },
      ]}
      curl={{ path: `/api/v1/models/${encodeURIComponent(name)}/compare`, query: { ...sides } }}
    >
      <Reading query={versions} />
      {versions.data && sides === null && <Text>{words.onlyOne}</Text>}
      {versions.data && sides && <Compared name={name} versions={versions.data.items} {...sides} />}
    </Page>
  );
}

interface Sides {
  readonly from: number;
  readonly to: number;
}

interface ComparedProps extends Sides {
  readonly name: string;
  readonly versions: readonly ModelVersion[];
}

function Compared({ name, versions, from, to }: ComparedProps) {
  const tenant = useTenant();
  const { all } = route.useSearch();
  const navigate = useNavigate();
  const query = useQuery(compareQuery(tenant, name, from, to));
  const change = (search: Partial<Sides> & { all?: true }) =>
    void navigate({ to: '.', search: { from, to, all, ...search } as never });
  const numbers = [...new Set([from, to, ...versions.map(({ version }) => version)])].sort((a, b) => b - a);
  const options = numbers.map((number) => ({ value: String(number), label: labelOf(number, versions) }));
  return (
    <Stack gap="md">
      <Group align="flex-end" gap="sm">
        <Select
          w={200}
          label={words.from}
          searchable
          allowDeselect={false}
          data={options}
          value={String(from)}
          onChange={(value) => value !== null && change({ from: Number(value) })}
        />
        <ActionIcon
          variant="default"
          size={36}
          aria-label={words.swap}
          onClick={() => change({ from: to, to: from })}
        >
          <IconArrowsExchange size={17} aria-hidden />
        </ActionIcon>
        <Select
          w={200}
          label={words.to}
          searchable
          allowDeselect={false}
          data={options}
          value={String(to)}
          onChange={(value) => value !== null && change({ to: Number(value) })}
        />
        <Switch
          mb={8}
          label={words.onlyDifferences}
          checked={all !== true}
          onChange={(event) => change({ all: event.currentTarget.checked ? undefined : true })}
        />
        {query.data && <PromoteButton version={query.data.to} label={words.promote(to)} variant="filled" />}
      </Group>
      <Reading query={query} />
      {query.data && (
        <>
          <Group gap="lg">
            {[query.data.from, query.data.to].map((side, place) => (
              <Group key={place === 0 ? 'from' : 'to'} gap="xs">
                <Text fw={600}>{text.models.version(side.version)}</Text>
                <StageChip stage={side.stage} />
              </Group>
            ))}
          </Group>
          <ComparisonParts comparison={query.data} onlyDifferences={all !== true} />
        </>
      )}
    </Stack>
  );
}

const labelOf = (number: number, versions: readonly ModelVersion[]): string => {
  const stage = versions.find(({ version }) => version === number)?.stage;
  const label = text.models.version(number);
  return stage === undefined || stage === 'None' ? label : `${label} · ${text.models.stages[stage]}`;
};

/** The versions of the address; one that is missing there is chosen. Null where there are not two. */
function useSides(versions: readonly ModelVersion[]): Sides | null {
  const { from, to } = route.useSearch();
  const numbers = versions.map(({ version }) => version);
  const production = versions.find(({ stage }) => stage === 'Production')?.version ?? null;
  const right = to ?? numbers.find((number) => number !== from) ?? null;
  if (right === null) return null;
  const left = from ?? baselineFor(right, production, numbers);
  return left === null ? null : { from: left, to: right };
}
