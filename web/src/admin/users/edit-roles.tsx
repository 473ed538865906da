import { Select, Stack, Table } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../shared/dialog';
import { ROLES } from '../../../../models/access/permission.rules.ts';
import { api, body } from '../../api/client';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { tenantSettingsQuery } from '../../shared/tenant-settings';
import type { Role, User } from '../queries';
import { roleIn } from '../members/member-columns';
import { useRefreshedUsers, userCalls, useUserChange } from './user-calls';

/** The roles of one person in every tenant; each choice counts at once, and taking a role asks for the address. */
export function EditRoles({ user, onClose }: { user: User; onClose: () => void }) {
  const words = text.admin.users;
  const tenants = useQuery(tenantSettingsQuery);
  // The person as they are now: the row that was opened shows the moment of the click.
  const { data: found } = useQuery({
    queryKey: ['admin', 'users', 'one', user.id],
    queryFn: ({ signal }) =>
      body(api.GET('/api/v1/system/users', { params: { query: { q: user.email, page_size: 50 } }, signal })),
  });
  const now = found?.items.find(({ id }) => id === user.id) ?? user;
  const change = useUserChange();
  const refresh = useRefreshedUsers();
  const [left, setLeft] = useState<string | null>(null);
  const said = words.done(user.email);
  return (
    <Dialog onClose={onClose} title={words.rolesTitle(user.email)} size="md">
      <Stack gap="sm">
        <Reading query={tenants} lines={3} />
        {tenants.data && (
          <Table aria-label={words.rolesTitle(user.email)} verticalSpacing={6}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{text.admin.audit.tenant}</Table.Th>
                <Table.Th>{text.admin.people.role}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {tenants.data.items.map(({ code, name }) => (
                <Table.Tr key={code}>
                  <Table.Td>{name}</Table.Td>
                  <Table.Td>
                    <Select
                      size="xs"
                      aria-label={`${text.admin.people.role}: ${name}`}
                      placeholder={words.noRole}
                      clearable
                      clearButtonProps={{ 'aria-label': `${text.admin.members.remove}: ${name}` }}
                      disabled={change.isPending}
                      data={[...ROLES]}
                      value={roleIn(now, code)}
                      onChange={(role) =>
                        role === null
                          ? setLeft(code)
                          : change.mutate({ run: () => userCalls.setRole(user.id, code, role as Role), said })
                      }
                    />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Stack>
      <ConfirmByName
        opened={left !== null}
        onClose={() => setLeft(null)}
        title={text.admin.members.removeTitle(user.email, left ?? '')}
        name={user.email}
        action={text.admin.members.remove}
        run={async () => {
          if (left !== null) await userCalls.takeRole(user.id, left);
          notifications.show({ message: said });
          await refresh();
        }}
      >
        {text.admin.members.removeHint}
      </ConfirmByName>
    </Dialog>
  );
}
