import { Modal, Select, Stack, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ROLES } from '../../../../models/access/permission.rules.ts';
import { api, body } from '../../api/client';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { tenantSettingsQuery } from '../../shared/tenant-settings';
import type { Role, User } from '../queries';
import { roleIn } from '../members/member-columns';
import { userCalls, useUserChange } from './user-calls';

/** The roles of one person in every tenant; each choice counts at once. */
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
  const set = (tenant: string, role: Role | null) =>
    change.mutate({
      run: () =>
        role === null ? userCalls.takeRole(user.id, tenant) : userCalls.setRole(user.id, tenant, role),
      said: words.done(user.email),
    });
  return (
    <Modal opened onClose={onClose} title={words.rolesTitle(user.email)} size="md">
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
                      onChange={(role) => set(code, role as Role | null)}
                    />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Stack>
    </Modal>
  );
}
