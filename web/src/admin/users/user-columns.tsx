import { Group, Text } from '@mantine/core';
import type { Column } from '../../shared/list/column';
import { StateChip } from '../../shared/state-chip';
import { Time } from '../../shared/time';
import { text } from '../../text';
import type { User } from '../queries';
import { UserState, Who } from './user-cells';
import { type Ask, UserMenu } from './user-menu';

const words = text.admin.people;

/** @param onAsk what needs more than a click */
export const userColumns = (onAsk: (ask: Ask) => void): ReadonlyArray<Column<User>> => [
  { id: 'email', label: words.email, sort: 'email', cell: (user) => <Who user={user} /> },
  { id: 'state', label: words.state, sort: 'is_active', cell: (user) => <UserState user={user} /> },
  {
    id: 'global',
    label: words.globalAdmin,
    cell: ({ is_superuser }) =>
      is_superuser ? <StateChip state={text.admin.hub.yes} look="succeeded" /> : '–',
  },
  { id: 'roles', label: words.roles, cell: (user) => <Roles user={user} /> },
  { id: 'phone', label: words.phone, isExtra: true, cell: ({ phone }) => phone ?? '–' },
  {
    id: 'since',
    label: words.since,
    sort: 'created_at',
    cell: ({ created_at }) => <Time iso={created_at} />,
  },
  { id: 'menu', label: '', align: 'right', cell: (user) => <UserMenu user={user} onAsk={onAsk} /> },
];

const SHOWN = 4;

function Roles({ user }: { user: User }) {
  const roles = user.roles.filter(({ tenant_code }) => tenant_code !== null);
  if (roles.length === 0) return '–';
  return (
    <Group gap="sm">
      {roles.slice(0, SHOWN).map(({ tenant_code, role }) => (
        <Text key={tenant_code} size="sm" component="span" style={{ whiteSpace: 'nowrap' }}>
          <Text span c="dimmed" size="sm">
            {tenant_code}
          </Text>{' '}
          {role}
        </Text>
      ))}
      {roles.length > SHOWN && <Text size="sm">+{roles.length - SHOWN}</Text>}
    </Group>
  );
}
