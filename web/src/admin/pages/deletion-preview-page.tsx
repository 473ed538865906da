import { Button, Group, Paper, SimpleGrid, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, body, type Schemas } from '../../api/client';
import { ErrorCard } from '../../shared/error-card';
import { count } from '../../shared/numbers';
import { Page } from '../../shared/page';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { ForAdministrators, useNotAdministrator } from '../administrators';
import { adminCrumbs } from '../crumbs';
import { previewQuery } from '../queries';
import { CountsTable } from '../tenants/counts-table';

const words = text.admin.preview;
const route = getRouteApi('/signed-in/t/$tenant/admin/tenants/$tenantId/deletion');

export function DeletionPreviewPage() {
  const { tenant, tenantId } = route.useParams();
  const reason = useNotAdministrator();
  const query = useQuery({ ...previewQuery(tenantId), enabled: reason === null, refetchInterval: 15_000 });
  return (
    <Page
      title={words.title(query.data?.tenant_code ?? '…')}
      crumbs={adminCrumbs(tenant, {
        label: text.admin.tenants.title,
        to: '/t/$tenant/admin/tenants',
        params: { tenant },
      })}
      description={words.intro}
      curl={{ path: `/api/v1/settings/tenants/${tenantId}/deletion-preview` }}
    >
      <ForAdministrators>
        {() => (
          <>
            <Reading query={query} />
            {query.data && <Preview preview={query.data} />}
          </>
        )}
      </ForAdministrators>
    </Page>
  );
}

function Preview({ preview }: { preview: Schemas['DeletionPreviewOut'] }) {
  const tables = Object.entries(preview.tables as Record<string, number>).sort(([, a], [, b]) => b - a);
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack gap="sm">
          <Title order={2} size="h5">
            {words.counts}
          </Title>
          <CountsTable counts={preview.counts} label={words.counts} />
        </Stack>
        <Stack gap="sm">
          <Title order={2} size="h5">
            {words.tables}
          </Title>
          <Table aria-label={words.tables} verticalSpacing={4}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{words.table}</Table.Th>
                <Table.Th ta="right">{words.rows}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {tables.map(([table, rows]) => (
                <Table.Tr key={table}>
                  <Table.Td className="mono">{table}</Table.Td>
                  <Table.Td ta="right">{count(rows)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Stack>
      </SimpleGrid>
      <ConfirmDeletion preview={preview} />
    </Stack>
  );
}

function ConfirmDeletion({ preview }: { preview: Schemas['DeletionPreviewOut'] }) {
  const { tenant } = route.useParams();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [typed, setTyped] = useState('');
  const remove = useMutation({
    mutationFn: () =>
      body(
        api.POST('/api/v1/settings/tenants/{tenant_id}/deletion', {
          params: { path: { tenant_id: preview.tenant_id } },
          body: { confirm_code: typed },
        }),
      ),
    onSuccess: async (deletion) => {
      await navigate({
        to: '/t/$tenant/admin/deletions/$deletionId',
        params: { tenant, deletionId: deletion.id },
      });
      await Promise.all([['admin'], ['tenants']].map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
  const isTyped = typed === preview.confirm_code;
  return (
    <Paper withBorder p="md" maw={560} style={{ borderColor: 'var(--state-failed)' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isTyped) remove.mutate();
        }}
      >
        <Stack gap="md">
          <Text fw={600}>{words.title(preview.tenant_code)}</Text>
          <TextInput
            label={words.confirm(preview.confirm_code)}
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          {remove.isError && <ErrorCard error={remove.error} />}
          <Group justify="flex-end">
            <Button type="submit" color="red" disabled={!isTyped} loading={remove.isPending}>
              {words.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}
