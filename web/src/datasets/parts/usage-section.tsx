import { Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** One table of what uses a dataset. */
export function Section({
  title,
  none,
  heads,
  children,
}: {
  title: string;
  none: string | null;
  heads: readonly string[];
  children: ReactNode;
}) {
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        {title}
      </Title>
      {none !== null ? (
        <Text c="dimmed">{none}</Text>
      ) : (
        <Table.ScrollContainer minWidth={600}>
          <Table verticalSpacing={6} aria-label={title}>
            <Table.Thead>
              <Table.Tr>
                {heads.map((head) => (
                  <Table.Th key={head}>{head}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>{children}</Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Stack>
  );
}
