import { Button, Select } from '@mantine/core';
import { ROLES } from '../../../../models/access/permission.rules.ts';
import type { Column } from '../../shared/list/column';
import { StateChip } from '../../shared/state-chip';
import { Time } from '../../shared/time';
import { text } from '../../text';
import type { Role, User } from '../queries';
import { UserState, Who } from '../users/user-cells';
import { userCalls, useUserChange } from '../users/user-calls';

export const memberColumns = (
  tenant: string,
  onRemove: (user: User) => void,
): ReadonlyArray<Column<User>> => [
  {
    id: 'email',
    label: text.admin.people.email,
    sort: 'email',
    cell: (user) => <Who user={user} />,
  },
  {
    id: 'state',
    label: text.admin.people.state,
    sort: 'is_active',
    cell: (user) => <UserState user={user} />,
  },
  { id: 'role', label: text.admin.people.role, cell: (user) => <RoleSelect user={user} tenant={tenant} /> },
  {
    id: 'global',
    label: text.admin.people.globalAdmin,
    cell: ({ is_superuser }) =>
      is_superuser ? <StateChip state={text.admin.hub.yes} look="succeeded" /> : '–',
  },
  {
    id: 'since',
    label: text.admin.people.since,
    sort: 'created_at',
    cell: ({ created_at }) => <Time iso={created_at} />,
  },
  {
    id: 'remove',
    label: '',
    align: 'right',
    cell: (user) => (
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        c="var(--state-failed)"
        onClick={() => onRemove(user)}
        aria-label={`${text.admin.members.remove}: ${user.email}`}
      >
        {text.admin.members.remove}
      </Button>
    ),
  },
];

export const roleIn = (user: User, tenant: string): Role | null =>
  (user.roles.find(({ tenant_code }) => tenant_code === tenant)?.role as Role | undefined) ?? null;

function RoleSelect({ user, tenant }: { user: User; tenant: string }) {
  const change = useUserChange();
  const words = text.admin.members;
  return (
    <Select
      size="xs"
      w={150}
      aria-label={words.roleOf(user.email)}
      allowDeselect={false}
      disabled={change.isPending}
      data={[...ROLES]}
      value={roleIn(user, tenant)}
      onChange={(chosen) => {
        const role = chosen as Role;
        change.mutate({
          run: () => userCalls.setRole(user.id, tenant, role),
          said: words.granted(user.email, role),
        });
      }}
    />
  );
}
