import { Button, Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { EmptyState } from '../../shared/empty-state';
import { JsonCell } from '../../shared/json-cell';
import { type Column, listPart, listQuery } from '../../shared/list/column';
import { List } from '../../shared/list/list-page';
import { usePageCurl } from '../../shared/page-curl';
import { wordOf } from '../../shared/state-chip';
import { Time } from '../../shared/time';
import { text } from '../../text';
import { type Command, type Device, deviceKey, listCommands } from '../queries';
import { COMMAND_STATES, CommandState } from '../states';
import { NewCommand } from './new-command';

const words = text.edge.commands;

const FILTERS = [
  {
    key: 'state',
    label: words.state,
    options: COMMAND_STATES.map((value) => ({ value, label: wordOf(value) })),
  },
];

const COLUMNS: readonly Column<Command>[] = [
  { id: 'type', label: words.type, cell: ({ type }) => <span className="mono">{type}</span> },
  { id: 'state', label: words.state, cell: ({ state }) => <CommandState state={state} /> },
  { id: 'args', label: words.args, cell: ({ args }) => <JsonCell value={args} label={words.args} /> },
  {
    id: 'result',
    label: words.result,
    cell: ({ result, progress }) => (
      <JsonCell
        value={result ?? progress}
        label={result === null && progress !== null ? words.progress : words.result}
      />
    ),
  },
  { id: 'deliveries', label: words.deliveries, align: 'right', isExtra: true, cell: (row) => row.deliveries },
  {
    id: 'ends',
    label: words.ends,
    cell: ({ expires_at: at }) => (at === null ? words.never : <Time iso={at} />),
  },
  { id: 'finished', label: words.finished, cell: ({ finished_at: at }) => <Time iso={at} /> },
  { id: 'created', label: words.created, cell: ({ created_at: at }) => <Time iso={at} /> },
];

/** Commands of a device, and how they ended. */
export function CommandsTab({ device: { id } }: { device: Device }) {
  const tenant = useTenant();
  const search = listPart(useSearch({ strict: false }), 'state');
  const [isOpen, dialog] = useDisclosure(false);
  const [renewal, setRenewal] = useState(0);
  const path = `/api/v1/edge/devices/${encodeURIComponent(id)}/commands`;
  usePageCurl({ path, query: listQuery(search) });
  const create = (
    <Allowed to="OPERATE">
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={dialog.open}>
        {words.create}
      </Button>
    </Allowed>
  );
  return (
    <Stack gap="sm">
      <Group justify="flex-end">{create}</Group>
      <List<Command>
        label={words.label}
        search={search}
        queryKey={[...deviceKey(tenant, id), 'commands', search]}
        queryFn={({ signal }) => listCommands(tenant, id, search, signal)}
        columns={COLUMNS}
        keyOf={(row) => row.id}
        renewal={renewal}
        filters={FILTERS}
        isSearchable={false}
        empty={
          <EmptyState
            sentence={words.empty}
            call={{ method: 'POST', path, body: { type: 'collect-logs', args: { lines: 100 } } }}
          />
        }
      />
      {isOpen && <NewCommand id={id} onClose={dialog.close} onMade={() => setRenewal((made) => made + 1)} />}
    </Stack>
  );
}
