import { Alert, Anchor, Group, MultiSelect, Radio, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { tenantUrl } from '../../api/client';
import { useTenant } from '../../app/session';
import { EmptyState } from '../../shared/empty-state';
import { bytes, count } from '../../shared/numbers';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { previewQuery, trainableQuery } from './queries';
import { frozenData } from './resolve';
import { SplitFields } from './split-fields';
import type { DraftControl } from './use-draft';

const SAMPLES = 16;

export function DatasetStep({ control }: { control: DraftControl }) {
  const words = text.training.wizard;
  const tenant = useTenant();
  const query = useQuery(trainableQuery(tenant));
  if (query.data === undefined) return <Reading query={query} />;
  if (query.data.items.length === 0)
    return (
      <EmptyState
        sentence={words.noDatasets}
        action={
          <Anchor
            renderRoot={(props: object) => (
              <Link to="/t/$tenant/datasets/new" params={{ tenant: tenant.code }} {...props} />
            )}
          >
            {words.newDataset}
          </Anchor>
        }
      />
    );
  return (
    <Stack gap="lg">
      <Radio.Group
        label={words.dataset.label}
        value={control.draft.dataset_id}
        onChange={control.chooseDataset}
      >
        <Stack gap="xs" mt="xs" mah={300} style={{ overflowY: 'auto' }}>
          {query.data.items.map((dataset) => (
            <Radio
              key={dataset.id}
              value={dataset.id}
              label={dataset.name}
              description={`${dataset.id} · ${words.dataset.files(count(dataset.file_count), bytes(dataset.size_bytes), dataset.class_count)}`}
            />
          ))}
        </Stack>
      </Radio.Group>
      <Samples control={control} />
      <SplitFields control={control} />
    </Stack>
  );
}

/** Some images of the dataset and its classes, as the task sees them. */
function Samples({ control }: { control: DraftControl }) {
  const words = text.training.wizard.dataset;
  const tenant = useTenant();
  const { task, dataset_id: datasetId, classes } = control.draft;
  const list = useQuery(trainableQuery(tenant));
  const dataset = frozenData(datasetId, list.data?.items);
  const { data } = useQuery(previewQuery(tenant, dataset, task, SAMPLES));
  if (!data) return null;
  if (!data.usable)
    return (
      <Alert color="yellow" variant="light">
        {words.notUsable} {data.reason}
      </Alert>
    );
  return (
    <>
      <Stack gap="xs">
        <Text size="sm" fw={500}>
          {words.preview}
        </Text>
        <Group gap="xs">
          {data.items.map((image) => (
            <img
              key={image.file_id}
              src={withTenant(tenant.code, image.preview_url)}
              alt={image.label ?? image.path}
              title={`${image.path}${image.label === null ? '' : `: ${image.label}`}`}
              loading="lazy"
              style={{
                width: 56,
                height: 56,
                objectFit: 'cover',
                borderRadius: 4,
                background: 'var(--ground-quiet)',
              }}
            />
          ))}
        </Group>
      </Stack>
      <MultiSelect
        label={words.classes}
        description={words.classesHint}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': text.lists.clearFilter(words.classes) }}
        limit={200}
        data={data.classes.map(({ name, count: files }) => ({
          value: name,
          label: `${name} (${count(files)})`,
        }))}
        value={[...classes]}
        onChange={(chosen) => control.edit({ classes: chosen })}
      />
    </>
  );
}

/** The address of a picture with the tenant, which no header can name. */
function withTenant(code: string, url: string): string {
  const { pathname, searchParams } = new URL(url, window.location.origin);
  return tenantUrl(code, pathname, Object.fromEntries(searchParams));
}
