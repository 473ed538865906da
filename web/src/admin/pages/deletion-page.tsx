import { Button, Code, CopyButton, Grid, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { api, body } from '../../api/client';
import { useEvents } from '../../api/use-events';
import { CopyText } from '../../shared/copy-text';
import { ErrorCard } from '../../shared/error-card';
import { Facts } from '../../shared/facts';
import { Page } from '../../shared/page';
import { isMoving, StateChip } from '../../shared/state-chip';
import { PageTabs } from '../../shared/tabs';
import { useWorkflowFact } from '../../shared/temporal';
import { durationBetween, Time, useNow } from '../../shared/time';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { ForAdministrators, useNotAdministrator } from '../administrators';
import { adminCrumbs } from '../crumbs';
import { type Deletion, deletionQuery } from '../queries';
import { CountsTable } from '../tenants/counts-table';
import { DeletionLog } from '../tenants/deletion-log';
import { DeletionSteps } from '../tenants/deletion-steps';

const words = text.admin.deletion;
const route = getRouteApi('/signed-in/t/$tenant/admin/deletions/$deletionId');
const EVENTS = ['deletion', 'step'];

export function DeletionPage() {
  const { tenant, deletionId } = route.useParams();
  const isMine = useNotAdministrator() === null;
  const query = useQuery({ ...deletionQuery(deletionId), enabled: isMine });
  const deletion = query.data;
  const client = useQueryClient();
  const refresh = useCallback(
    () => void client.invalidateQueries({ queryKey: deletionQuery(deletionId).queryKey }),
    [client, deletionId],
  );
  const isOpen = deletion !== undefined && deletion.status !== 'done';
  useEvents(isMine && isOpen ? `/api/v1/stream/tenant-deletions/${deletionId}` : null, EVENTS, refresh);
  return (
    <Page
      title={words.title(deletion?.tenant_code ?? '…')}
      crumbs={adminCrumbs(tenant, {
        label: text.admin.tenants.tabs.deletions,
        to: '/t/$tenant/admin/tenants',
        params: { tenant },
        search: { tab: 'deletions' },
      })}
      state={deletion && <StateChip state={deletion.status} />}
      description={deletion?.status_message}
      curl={{ path: `/api/v1/settings/tenants/deletions/${deletionId}` }}
      actions={deletion?.status === 'failed' && <Retry id={deletionId} />}
    >
      <ForAdministrators>
        {() => (
          <>
            <Reading query={query} />
            {deletion && <Body deletion={deletion} />}
          </>
        )}
      </ForAdministrators>
    </Page>
  );
}

function Body({ deletion }: { deletion: Deletion }) {
  const now = useNow(isMoving(deletion.status) ? 1_000 : null);
  const { started_at, finished_at } = deletion;
  const workflows = useWorkflowFact('tenant-deletion', deletion.id);
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 8 }}>
        <PageTabs
          tabs={[
            { id: 'steps', label: words.tabs.steps, body: () => <DeletionSteps steps={deletion.steps} /> },
            { id: 'log', label: words.tabs.log, body: () => <DeletionLog lines={deletion.log} /> },
            {
              id: 'certificate',
              label: words.tabs.certificate,
              body: () => <Certificate deletion={deletion} />,
            },
          ]}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 4 }}>
        <Stack gap="md">
          <Facts
            items={[
              [words.attempt, deletion.attempt],
              [text.admin.deletions.by, deletion.requested_by ?? '–'],
              [words.asked, <Time key="asked" iso={deletion.created_at} />],
              [words.ended, <Time key="ended" iso={finished_at} />],
              [words.took, started_at === null ? '–' : durationBetween(started_at, finished_at, now)],
              [words.tenantId, <CopyText key="id" value={deletion.tenant_id} />],
              ...workflows,
            ]}
          />
          <CountsTable counts={deletion.counts} label={words.removed} />
        </Stack>
      </Grid.Col>
    </Grid>
  );
}

function Retry({ id }: { id: string }) {
  const client = useQueryClient();
  const retry = useMutation({
    mutationFn: () =>
      body(
        api.POST('/api/v1/settings/tenants/deletions/{deletion_id}/retry', {
          params: { path: { deletion_id: id } },
        }),
      ),
    onSuccess: (deletion) => client.setQueryData(deletionQuery(id).queryKey, deletion),
  });
  return (
    <Stack gap="sm">
      <Button onClick={() => retry.mutate()} loading={retry.isPending} title={words.retryHint}>
        {words.retry}
      </Button>
      {retry.isError && <ErrorCard error={retry.error} />}
    </Stack>
  );
}

function Certificate({ deletion }: { deletion: Deletion }) {
  if (deletion.certificate === null) return <Text c="dimmed">{words.noCertificate}</Text>;
  const shown = JSON.stringify(deletion.certificate, null, 2);
  const save = () => {
    const url = URL.createObjectURL(new Blob([shown], { type: 'application/json' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = `erasure-${deletion.tenant_code}.json`;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <Stack gap="sm">
      <Text c="dimmed">{words.certificateHint}</Text>
      <Group gap="sm">
        <Button variant="default" onClick={save}>
          {words.download}
        </Button>
        <CopyButton value={shown}>
          {({ copied, copy }) => (
            <Button variant="subtle" onClick={copy}>
              {copied ? text.shared.copied : words.copy}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Code block tabIndex={0} style={{ maxHeight: 480, overflow: 'auto' }}>
        {shown}
      </Code>
    </Stack>
  );
}
