import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import type { Schemas } from '../../api/client';
import type { Column } from '../../shared/list/column';
import type { SeenAt } from '../../shared/list/steady-rows';
import { SteadyTable } from '../../shared/list/steady-table';
import { useSearchChange } from '../../shared/search-change';
import { MomentField } from '../../shared/moment-field';
import type { TabSearch } from '../../shared/tabs';
import { Time } from '../../shared/time';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { VersionLink } from '../../shared/links';
import { historyQuery } from '../queries';
import { StageChip } from '../../shared/stage-chip';
import { usePageCurl } from '../../shared/page-curl';

type Change = Schemas['StageChangeOut'];

const words = text.models.history;

/** Every change of a stage, and who was in Production at a time; the time stands in the address. */
export function StageHistory({ name }: { name: string }) {
  const tenant = useTenant();
  const search: TabSearch = useSearch({ strict: false });
  const at = instantOf(search.at);
  usePageCurl({ path: `/api/v1/models/${encodeURIComponent(name)}/stage-history`, query: { at } });
  const query = useQuery(historyQuery(tenant, name, at));
  const change = useSearchChange();
  return (
    <Stack gap="md">
      <Group align="flex-end" gap="sm">
        <MomentField
          label={words.at}
          value={at}
          onMoment={(moment) => change({ at: moment }, { replace: true })}
          unit="second"
        />
        <Button variant="default" disabled={at === null} onClick={() => change({ at: undefined })}>
          {words.now}
        </Button>
      </Group>
      <Reading query={query} lines={3} />
      {query.data && (
        <>
          <Held name={name} production={query.data.production} isNow={at === null} />
          {query.data.items.length === 0 ? (
            <Text c="dimmed">{words.empty}</Text>
          ) : (
            <Changes name={name} at={at} query={query} items={query.data.items} />
          )}
        </>
      )}
    </Stack>
  );
}

interface HeldProps {
  readonly name: string;
  readonly production: Schemas['ProductionOut'] | null;
  readonly isNow: boolean;
}

function Held({ name, production, isNow }: HeldProps) {
  if (production === null) return <Alert color="gray">{isNow ? words.nobodyNow : words.nobody}</Alert>;
  const { version, since } = production;
  return (
    <Alert color="gray" variant="light">
      <VersionLink name={name} version={version}>
        {isNow ? words.answerNow(version) : words.answer(version)}
      </VersionLink>
      , {text.models.model.since} <Time iso={since} />
    </Alert>
  );
}

interface ChangesProps {
  readonly name: string;
  readonly at: string | null;
  readonly query: SeenAt;
  readonly items: readonly Change[];
}

function Changes({ name, at, query, items }: ChangesProps) {
  const { code } = useTenant();
  const columns: readonly Column<Change>[] = [
    {
      id: 'version',
      label: words.columns.version,
      cell: ({ version }) => (
        <VersionLink name={name} version={version}>
          {text.models.version(version)}
        </VersionLink>
      ),
    },
    { id: 'from', label: words.columns.from, cell: (entry) => <StageChip stage={entry.from_stage} /> },
    { id: 'to', label: words.columns.to, cell: (entry) => <StageChip stage={entry.to_stage} /> },
    { id: 'reason', label: words.columns.reason, cell: ({ reason }) => reason ?? '–' },
    {
      id: 'who',
      label: words.columns.who,
      cell: ({ actor_id: id, actor_name: who, promotion_id: promotion }) => (
        <>
          {id === null ? words.platform : (who ?? text.models.comments.someone)}
          {promotion !== null && (
            <>
              {' · '}
              <Anchor
                renderRoot={(props: object) => (
                  <Link
                    to="/t/$tenant/promotions/$promotionId"
                    params={{ tenant: code, promotionId: promotion }}
                    {...props}
                  />
                )}
              >
                {words.promotion}
              </Anchor>
            </>
          )}
        </>
      ),
    },
    { id: 'when', label: words.columns.when, cell: ({ at }) => <Time iso={at} /> },
  ];
  return (
    <SteadyTable
      label={words.label}
      columns={columns}
      fresh={items}
      keyOf={(entry) => `${entry.version} ${entry.at} ${entry.to_stage}`}
      query={query}
      view={`${name} ${at}`}
    />
  );
}

const instantOf = (word: unknown): string | null =>
  typeof word === 'string' && !Number.isNaN(Date.parse(word)) ? word : null;
