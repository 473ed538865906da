import { Box, Button, Checkbox, Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { CopyText } from '../../shared/copy-text';
import { Facts } from '../../shared/facts';
import { count } from '../../shared/numbers';
import { Page } from '../../shared/page';
import { StateChip } from '../../shared/state-chip';
import { Time } from '../../shared/time';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import type { Source } from '../queries';
import { RemoteDatasets } from '../sources/remote-datasets';
import { SourceForm } from '../sources/source-form';
import { TestButton, TestResult, useSourceTest } from '../sources/source-test';
import { sourceQuery } from '../syncs/queries';

const route = getRouteApi('/signed-in/t/$tenant/sources/$sourceId');
const words = text.sources;

/** One source: whether it answers, and what it has. */
export function SourcePage() {
  const tenant = useTenant();
  const { tenant: code, sourceId } = route.useParams();
  const query = useQuery(sourceQuery(tenant, sourceId));
  const test = useSourceTest(sourceId);
  const crumbs = [
    { label: text.datasets.title, to: '/t/$tenant/datasets', params: { tenant: code } },
    { label: words.title, to: '/t/$tenant/sources', params: { tenant: code } },
  ] as const;
  const curl = { path: `/api/v1/external-sources/${sourceId}` };
  const source = query.data;
  if (source === undefined)
    return (
      <Page title={sourceId} crumbs={crumbs} curl={curl}>
        <Reading query={query} />
      </Page>
    );
  return (
    <Page
      title={source.name}
      crumbs={crumbs}
      curl={curl}
      state={
        <StateChip
          state={source.enabled ? words.enabled : words.disabled}
          look={source.enabled ? 'succeeded' : 'stopped'}
        />
      }
      actions={
        <Group gap="sm">
          <DeleteSource source={source} />
          <EditSource source={source} />
          <TestButton test={test} />
        </Group>
      }
    >
      <Reading query={query} />
      <Group align="flex-start" gap="md" wrap="wrap">
        <Stack gap="md" style={{ flex: '1 1 560px', minWidth: 0 }}>
          <TestResult test={test} />
          <RemoteDatasets source={source} />
        </Stack>
        <Box component="aside" style={{ flex: '0 1 240px', minWidth: 200 }}>
          <SourceFacts source={source} />
        </Box>
      </Group>
    </Page>
  );
}

function SourceFacts({ source }: { source: Source }) {
  return (
    <Facts
      items={[
        [words.facts.id, <CopyText key="id" value={source.id} />],
        [words.facts.url, <CopyText key="url" value={source.base_url} />],
        [words.facts.token, source.token === null ? words.facts.tokenNone : words.facts.tokenSet],
        [words.facts.datasets, count(source.dataset_count)],
        [words.facts.description, source.description || '–'],
        [words.facts.created, <Time key="created" iso={source.created_at} />],
        [words.facts.updated, <Time key="updated" iso={source.updated_at} />],
      ]}
    />
  );
}

function EditSource({ source }: { source: Source }) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Allowed to="DATASET_WRITE">
        <Button variant="default" onClick={dialog.open}>
          {words.edit}
        </Button>
      </Allowed>
      <SourceForm key={source.updated_at} source={source} isOpen={isOpen} onClose={dialog.close} />
    </>
  );
}

function DeleteSource({ source }: { source: Source }) {
  const tenant = useTenant();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isOpen, dialog] = useDisclosure(false);
  const [isForced, setForced] = useState(false);
  const run = async () => {
    await body(
      tenant.api.DELETE('/api/v1/external-sources/{source_id}', {
        params: { path: { source_id: source.id }, query: { force: isForced } },
      }),
    );
    await client.invalidateQueries({ queryKey: [tenant.code, 'sources'] });
    await navigate({ to: '/t/$tenant/sources', params: { tenant: tenant.code } });
  };
  return (
    <>
      <Allowed to="DATASET_WRITE">
        <Button variant="default" onClick={dialog.open}>
          {words.delete}
        </Button>
      </Allowed>
      <ConfirmByName
        opened={isOpen}
        onClose={dialog.close}
        title={words.deleteTitle(source.name)}
        name={source.name}
        action={words.delete}
        run={run}
      >
        <Stack gap="sm">
          {words.deleteHint}
          {source.dataset_count > 0 && (
            <Checkbox
              label={words.deleteForce(source.dataset_count)}
              checked={isForced}
              onChange={(event) => setForced(event.currentTarget.checked)}
            />
          )}
        </Stack>
      </ConfirmByName>
    </>
  );
}
