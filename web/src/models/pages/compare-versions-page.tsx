import { ActionIcon, Group, Stack, Switch, Text } from '@mantine/core';
import { IconArrowsExchange } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { Page } from '../../shared/page';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { ComparisonParts } from '../compare/comparison-parts';
import { SideSelect, type Versions } from '../compare/side-select';
import { baselineFor } from '../compare/version-diff';
import { PromoteButton } from '../promotion/promote-button';
import { compareQuery, modelQuery } from '../queries';
import { versionsQuery } from '../../shared/model-versions';
import { StageChip } from '../../shared/stage-chip';

const route = getRouteApi('/signed-in/t/$tenant/models/$name/compare');
const words = text.models.compare;

/** Two versions of a model side by side, with the promotion beside what speaks for it. */
export function CompareVersionsPage() {
  const tenant = useTenant();
  const { name } = route.useParams();
  const newest = useQuery(versionsQuery(tenant, name));
  // What is in Production may be older than the versions that are read.
  const model = useQuery(modelQuery(tenant, name));
  const params = { tenant: tenant.code, name };
  const versions: Versions = {
    read: newest.data?.items ?? [],
    total: newest.data?.total ?? 0,
    production: model.data?.stages.production ?? [],
  };
  const sides = useSides(versions);
  const isRead = newest.data !== undefined && model.data !== undefined;
  return (
    <Page
      title={words.title(name)}
      crumbs={[
        { label: text.models.title, to: '/t/$tenant/models', params },
        { label: name, to: '/t/$tenant/models/$name', params },
      ]}
      curl={{ path: `/api/v1/models/${encodeURIComponent(name)}/compare`, query: { ...sides } }}
    >
      <Reading query={newest.error === null && newest.data !== undefined ? model : newest} />
      {isRead && sides === null && <Text>{words.onlyOne}</Text>}
      {isRead && sides && <Compared name={name} versions={versions} {...sides} />}
    </Page>
  );
}

interface Sides {
  readonly from: number;
  readonly to: number;
}

interface ComparedProps extends Sides {
  readonly name: string;
  readonly versions: Versions;
}

function Compared({ name, versions, from, to }: ComparedProps) {
  const tenant = useTenant();
  const { all } = route.useSearch();
  const navigate = useNavigate();
  const query = useQuery(compareQuery(tenant, name, from, to));
  const change = (search: Partial<Sides> & { all?: true }) =>
    void navigate({ to: '.', search: { from, to, all, ...search } as never });
  return (
    <Stack gap="md">
      <Group align="flex-end" gap="sm">
        <SideSelect
          label={words.from}
          value={from}
          compared={[from, to]}
          versions={versions}
          onChange={(version) => change({ from: version })}
        />
        <ActionIcon
          variant="default"
          size={36}
          aria-label={words.swap}
          onClick={() => change({ from: to, to: from })}
        >
          <IconArrowsExchange size={17} aria-hidden />
        </ActionIcon>
        <SideSelect
          label={words.to}
          value={to}
          compared={[from, to]}
          versions={versions}
          onChange={(version) => change({ to: version })}
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

/** The versions of the address; one that is missing there is chosen. Null where there are not two. */
function useSides({ read, production }: Versions): Sides | null {
  const { from, to } = route.useSearch();
  const numbers = read.map(({ version }) => version);
  const right = to ?? numbers.find((number) => number !== from) ?? null;
  if (right === null) return null;
  const left = from ?? baselineFor(right, production[0] ?? null, numbers);
  return left === null ? null : { from: left, to: right };
}
