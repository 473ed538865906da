import { Alert, Anchor, Button, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { body, type Schemas } from '../../api/client';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { CopyCurl } from '../../shared/copy-curl';
import { Time } from '../../shared/time';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import type { DatasetDetail } from '../queries';
import { intervalWord } from './interval';
import { LinkForm } from './link-form';
import { linkQuery } from './queries';
import { SyncList } from './sync-list';
import { SyncPreview } from './sync-preview';

const words = text.sources.link;

/** Where a dataset is copied from, what the next sync would change, and the syncs so far. */
export function SourceTab({ dataset }: { dataset: DatasetDetail }) {
  const tenant = useTenant();
  const query = useQuery(linkQuery(tenant, dataset.id));
  const [isEditing, edit] = useDisclosure(false);
  const [started, setStarted] = useState(0);
  if (query.data === undefined) return <Reading query={query} />;
  const link = query.data;
  return (
    <Stack gap="lg">
      <Reading query={query} />
      <Paper withBorder p="md">
        <Stack gap="sm">
          <Group justify="space-between" gap="sm">
            <Title order={2} size="h5">
              {words.title}
            </Title>
            <Group gap="sm">
              <CopyCurl call={{ path: `/api/v1/datasets/${dataset.id}/source` }} />
              {link.linked && <UnlinkButton dataset={dataset} />}
              <Allowed to="DATASET_WRITE">
                <Button size="compact-sm" variant="default" onClick={edit.toggle}>
                  {link.linked ? words.change : words.set}
                </Button>
              </Allowed>
            </Group>
          </Group>
          {link.linked ? <LinkFacts link={link} tenant={tenant.code} /> : <Text>{words.none}</Text>}
          {isEditing && <LinkForm datasetId={dataset.id} link={link} onDone={edit.close} />}
        </Stack>
      </Paper>
      {link.linked && <SyncPreview dataset={dataset} link={link} onStarted={() => setStarted(started + 1)} />}
      <SyncList dataset={dataset} renewal={started} />
    </Stack>
  );
}

function LinkFacts({ link, tenant }: { link: Schemas['LinkOut']; tenant: string }) {
  const fact = (name: string, value: React.ReactNode) => (
    <div>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text component="div" style={{ overflowWrap: 'anywhere' }}>
        {value}
      </Text>
    </div>
  );
  return (
    <>
      {link.source_enabled === false && (
        <Alert color="yellow" variant="light">
          {words.off}
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="md">
        {fact(
          words.source,
          <Anchor
            renderRoot={(props: object) => (
              <Link
                to="/t/$tenant/sources/$sourceId"
                params={{ tenant, sourceId: link.source_id ?? '' }}
                {...props}
              />
            )}
          >
            {link.source_name ?? link.source_id}
          </Anchor>,
        )}
        {fact(words.remote, <span className="mono">{link.remote_dataset_id}</span>)}
        {fact(words.repeat, intervalWord(link.interval_s))}
        {fact(words.since, <Time iso={link.linked_at} />)}
      </SimpleGrid>
    </>
  );
}

function UnlinkButton({ dataset }: { dataset: DatasetDetail }) {
  const tenant = useTenant();
  const client = useQueryClient();
  const [isOpen, dialog] = useDisclosure(false);
  const run = async () => {
    await body(
      tenant.api.DELETE('/api/v1/datasets/{dataset_id}/source', {
        params: { path: { dataset_id: dataset.id } },
      }),
    );
    await client.invalidateQueries({ queryKey: [tenant.code, 'datasets', dataset.id] });
  };
  return (
    <>
      <Allowed to="DATASET_WRITE">
        <Button size="compact-sm" variant="default" onClick={dialog.open}>
          {words.unlink}
        </Button>
      </Allowed>
      <ConfirmByName
        opened={isOpen}
        onClose={dialog.close}
        title={words.unlinkTitle}
        name={dataset.name}
        action={words.unlink}
        run={run}
      >
        {words.unlinkHint}
      </ConfirmByName>
    </>
  );
}
