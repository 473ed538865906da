import { Box, Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTenant } from '../../app/session';
import { lazyPart } from '../../shared/lazy-part';
import { count } from '../../shared/numbers';
import { Page } from '../../shared/page';
import { StateChip } from '../../shared/state-chip';
import { PageTabs, type Tab } from '../../shared/tabs';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { DatasetActions } from '../parts/dataset-actions';
import { DatasetFacts } from '../parts/dataset-facts';
import { GalleryTab } from '../parts/gallery-tab';
import { type DatasetDetail, datasetQuery } from '../queries';
import { AddFiles } from '../upload/add-files';
import { InterruptedNote } from '../upload/interrupted-note';
import { PageDrop } from '../upload/page-drop';
import { UploadPanel } from '../upload/upload-panel';

const route = getRouteApi('/signed-in/t/$tenant/datasets/$datasetId');
const words = text.datasets.page;

const ValidationTab = lazyPart(async () => (await import('../report/validation-tab')).ValidationTab);
const FilesTab = lazyPart(async () => (await import('../parts/files-tab')).FilesTab);
const SampleTab = lazyPart(async () => (await import('../parts/sample-tab')).SampleTab);
const ClassesTab = lazyPart(async () => (await import('../parts/classes-tab')).ClassesTab);
const SourceTab = lazyPart(async () => (await import('../syncs/source-tab')).SourceTab);
const UsageTab = lazyPart(async () => (await import('../parts/usage-tab')).UsageTab);

/** One dataset: its pictures first, and everything else that is known about it. */
export function DatasetPage() {
  const { tenant: code, datasetId } = route.useParams();
  const tenant = useTenant();
  const query = useQuery(datasetQuery(tenant, datasetId));
  const crumbs = [
    { label: text.datasets.title, to: '/t/$tenant/datasets', params: { tenant: code } },
  ] as const;
  const curl = { path: `/api/v1/datasets/${datasetId}` };
  if (query.data === undefined)
    return (
      <Page title={datasetId} crumbs={crumbs} curl={curl}>
        <Reading query={query} />
      </Page>
    );
  const dataset = query.data;
  return (
    <Page
      title={dataset.name}
      crumbs={crumbs}
      curl={curl}
      state={<StateChip state={dataset.status} />}
      actions={<DatasetActions dataset={dataset} />}
    >
      <Stack gap="md">
        <Reading query={query} />
        <UploadPanel datasetId={dataset.id} />
        <PageDrop dataset={dataset} />
        <InterruptedNote datasetId={dataset.id} />
        <Validating dataset={dataset} />
        <Group align="flex-start" gap="md" wrap="wrap">
          <Box style={{ flex: '1 1 560px', minWidth: 0 }}>
            <PageTabs tabs={tabsOf(dataset)} />
          </Box>
          <Box component="aside" style={{ flex: '0 1 220px', minWidth: 200 }}>
            <DatasetFacts dataset={dataset} />
          </Box>
        </Group>
      </Stack>
    </Page>
  );
}

/** What the validation does now; its place is kept while it may begin, and from then on until the page is left. */
function Validating({ dataset }: { dataset: DatasetDetail }) {
  const { checked, total } = dataset.validation_progress;
  const isRunning = dataset.status === 'VALIDATING';
  const isToCome = dataset.status === 'DRAFT' && dataset.file_count > 0;
  const [wasThere, setThere] = useState(false);
  if ((isRunning || isToCome) && !wasThere) setThere(true);
  if (!isRunning && !isToCome && !wasThere) return null;
  const part = total > 0 ? (checked / total) * 100 : 0;
  return (
    <Stack gap={4} role="status">
      <Text size="sm">
        {isRunning ? words.validating(count(checked), count(total)) : isToCome ? words.soon : words.ended}
      </Text>
      <Progress
        value={isRunning ? part : isToCome ? 0 : 100}
        size="sm"
        aria-label={text.datasets.columns.validation}
      />
    </Stack>
  );
}

function tabsOf(dataset: DatasetDetail): Tab[] {
  const names = words.tabs;
  const isEmpty = dataset.file_count === 0;
  const gallery: Tab = {
    id: 'gallery',
    label: names.gallery,
    body: () => (isEmpty ? <AddFiles datasetId={dataset.id} /> : <GalleryTab dataset={dataset} />),
  };
  const hasImages = dataset.manifest.files.some(({ kind }) => kind === 'image');
  const others: Tab[] = [
    { id: 'validation', label: names.validation, body: () => <ValidationTab dataset={dataset} /> },
    { id: 'files', label: names.files, body: () => <FilesTab dataset={dataset} /> },
    { id: 'sample', label: names.sample, body: () => <SampleTab dataset={dataset} /> },
    { id: 'classes', label: names.classes, body: () => <ClassesTab dataset={dataset} /> },
    { id: 'source', label: names.source, body: () => <SourceTab dataset={dataset} /> },
    { id: 'usage', label: names.usage, body: () => <UsageTab dataset={dataset} /> },
  ];
  if (isEmpty || hasImages) return [gallery, ...others];
  // A dataset of tables opens with its rows.
  return [...others.filter(({ id }) => id === 'sample'), ...others.filter(({ id }) => id !== 'sample')];
}
