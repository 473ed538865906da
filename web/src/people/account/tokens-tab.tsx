import { Button, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api, body, type Schemas } from '../../api/client';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { EmptyState } from '../../shared/empty-state';
import { EXAMPLE_CALLS } from '../../shared/example-calls';
import type { Column } from '../../shared/list/column';
import { SteadyTable } from '../../shared/list/steady-table';
import { StateChip } from '../../shared/state-chip';
import { Time } from '../../shared/time';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { tokensQuery } from '../queries';
import { CreateToken } from './create-token';
import { useAskedDialog } from '../../shared/use-asked-dialog';

type Token = Schemas['AccessTokenOut'];
const words = text.people.tokens;

const columnsOf = (onRevoke: (token: Token) => void): ReadonlyArray<Column<Token>> => [
  { id: 'name', label: words.name, cell: ({ name }) => <Text fw={500}>{name}</Text> },
  { id: 'kind', label: words.kind, cell: ({ kind }) => words.kinds[kind] ?? kind },
  { id: 'tenant', label: words.tenant, cell: ({ tenant_code }) => tenant_code },
  {
    id: 'scope',
    label: words.scope,
    cell: ({ read_only }) => (read_only ? words.readOnly : words.readWrite),
  },
  {
    id: 'expires',
    label: words.expires,
    cell: ({ expires_at }) =>
      Date.parse(expires_at) < Date.now() ? (
        <StateChip state={words.ended} look="stopped" />
      ) : (
        <Time iso={expires_at} />
      ),
  },
  {
    id: 'used',
    label: words.used,
    cell: ({ last_used_at }) => (last_used_at === null ? words.neverUsed : <Time iso={last_used_at} />),
  },
  { id: 'created', label: words.created, cell: ({ created_at }) => <Time iso={created_at} /> },
  {
    id: 'revoke',
    label: '',
    align: 'right',
    cell: (token) => (
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        c="var(--state-failed)"
        onClick={() => onRevoke(token)}
        aria-label={`${words.revoke} ${token.name}`}
      >
        {words.revoke}
      </Button>
    ),
  },
];

export function TokensTab() {
  const query = useQuery({ ...tokensQuery, refetchInterval: 30_000 });
  const client = useQueryClient();
  const [isMaking, setMaking] = useState(false);
  useAskedDialog(() => setMaking(true));
  const [made, setMade] = useState(0);
  const [revoked, setRevoked] = useState<Token | null>(null);
  const [own, setOwn] = useState<ReadonlySet<string>>(new Set());
  const columns = useMemo(() => columnsOf(setRevoked), []);
  if (query.data === undefined) return <Reading query={query} />;
  const make = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setMaking(true)}>
      {words.create}
    </Button>
  );
  return (
    <Stack gap="sm">
      <Reading query={query} />
      <Group justify="space-between" gap="sm" align="flex-start">
        <Text c="dimmed" maw={700}>
          {words.intro}
        </Text>
        {query.data.total > 0 && make}
      </Group>
      {query.data.total === 0 ? (
        <EmptyState sentence={words.empty} action={make} call={EXAMPLE_CALLS.token} />
      ) : (
        <SteadyTable
          label={words.label}
          columns={columns}
          fresh={query.data.items}
          keyOf={(token) => token.id}
          query={query}
          view={String(made)}
          own={own}
        />
      )}
      {isMaking && <CreateToken onClose={() => setMaking(false)} onMade={() => setMade(made + 1)} />}
      <ConfirmByName
        opened={revoked !== null}
        onClose={() => setRevoked(null)}
        title={words.revokeTitle(revoked?.name ?? '')}
        name={revoked?.name ?? ''}
        action={words.revoke}
        run={async () => {
          const token_id = revoked?.id ?? '';
          await body(api.DELETE('/users/me/tokens/{token_id}', { params: { path: { token_id } } }));
          setOwn(new Set([...own, token_id]));
          await client.invalidateQueries({ queryKey: tokensQuery.queryKey });
        }}
      >
        {words.revokeHint}
      </ConfirmByName>
    </Stack>
  );
}
