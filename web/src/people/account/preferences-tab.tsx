import { Stack, Switch, Table, Text } from '@mantine/core';
import { useMutation, useMutationState, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, body, type Schemas } from '../../api/client';
import { ErrorCard } from '../../shared/error-card';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { preferencesQuery } from '../queries';
import { type Channel, type Preferences, type Turn, TURNS, turned, turning } from './saved-preferences';

const words = text.people.preferences;
const CHANNELS: ReadonlyArray<readonly [Channel, string]> = [
  ['in_app', words.inApp],
  ['email', words.email],
];

/** A grid of groups and channels; each switch is saved as it is turned. */
export function PreferencesTab() {
  const query = useQuery(preferencesQuery);
  const save = useMutation(turning(useQueryClient(), send));
  const turns = useTurns();
  if (query.data === undefined) return <Reading query={query} />;
  return (
    <Stack gap="sm" maw={760}>
      <Reading query={query} />
      <Text c="dimmed">{words.intro}</Text>
      {save.isError && <ErrorCard error={save.error} />}
      <Table.ScrollContainer minWidth={460}>
        <Table aria-label={words.label} verticalSpacing="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{words.group}</Table.Th>
              {CHANNELS.map(([channel, label]) => (
                <Table.Th key={channel} ta="center" w={130}>
                  {label}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {turned(query.data, turns).items.map((group) => (
              <Table.Tr key={group.key}>
                <Table.Td>
                  <Text fw={500}>{group.title}</Text>
                  {group.kinds.map((kind) => (
                    <Text key={kind.key} size="xs" c="dimmed">
                      {words.kind(kind.title, kind.description)}
                    </Text>
                  ))}
                </Table.Td>
                {CHANNELS.map(([channel, label]) => (
                  <Table.Td key={channel}>
                    <Switch
                      aria-label={words.toggle(group.title, label)}
                      checked={group[channel]}
                      onChange={(event) =>
                        save.mutate({ key: group.key, channel, isOn: event.currentTarget.checked })
                      }
                      styles={{ body: { justifyContent: 'center' } }}
                    />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text size="sm" c="dimmed" role="status" mih={20}>
        {save.isPending ? words.saving : save.isSuccess ? words.saved : ''}
      </Text>
    </Stack>
  );
}

const send = ({ items }: Preferences) =>
  body(
    api.PUT('/api/v1/notifications/preferences', {
      body: {
        prefs: Object.fromEntries(
          items.map(({ key, in_app, email }) => [key, { in_app, email }]),
        ) as Schemas['PreferencesBody']['prefs'],
      },
    }),
  );

/** Turns that the platform has not answered yet: their switches stand there already. */
const useTurns = () =>
  useMutationState({
    filters: { mutationKey: TURNS, status: 'pending' },
    select: ({ state }) => state.variables as Turn,
  });
