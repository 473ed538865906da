import { Table, Text, VisuallyHidden } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { PERMISSIONS, ROLES, type Role, roleGrants } from '../../../models/access/permission.rules.ts';
import { text } from '../text';

/** Roles and permissions as the platform judges them. @param own role of the reader, whose column stands out; null: none does */
export function RolesTable({ own }: { own: Role | null }) {
  const words = text.admin.hub;
  return (
    <Table.ScrollContainer minWidth={760}>
      <Table aria-label={words.roles} verticalSpacing={4} highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.permission}</Table.Th>
            {ROLES.map((role) => (
              <Table.Th key={role} ta="center" bg={role === own ? 'var(--ground-quiet)' : undefined}>
                {role}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {PERMISSIONS.map((permission) => (
            <Table.Tr key={permission}>
              <Table.Th scope="row" fw={400}>
                {permission}
                <Text size="xs" c="dimmed">
                  {words.permissions[permission]}
                </Text>
              </Table.Th>
              {ROLES.map((role) => (
                <Table.Td key={role} ta="center" bg={role === own ? 'var(--ground-quiet)' : undefined}>
                  <Granted isGranted={roleGrants(role, permission)} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Granted({ isGranted }: { isGranted: boolean }) {
  const words = text.admin.hub;
  return (
    <>
      {isGranted && <IconCheck size={16} aria-hidden style={{ color: 'var(--state-succeeded)' }} />}
      <VisuallyHidden>{isGranted ? words.yes : words.no}</VisuallyHidden>
    </>
  );
}
