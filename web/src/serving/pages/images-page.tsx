import { Button, Text } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { body } from '../../api/client';
import { useMissing, useTenant } from '../../app/session';
import { VersionLink } from '../../shared/links';
import { Allowed, Explained } from '../../shared/allowed';
import { CopyText } from '../../shared/copy-text';
import { EmptyState } from '../../shared/empty-state';
import { EXAMPLE_CALLS } from '../../shared/example-calls';
import { type Column, listQuery } from '../../shared/list/column';
import { List } from '../../shared/list/list-page';
import { bytes } from '../../shared/numbers';
import { Page } from '../../shared/page';
import { StateChip, wordOf } from '../../shared/state-chip';
import { useWorkflowColumn } from '../../shared/temporal';
import { Time } from '../../shared/time';
import { text } from '../../text';
import { imageDigest } from '../image-name';
import type { ModelImage } from '../queries';

const route = getRouteApi('/signed-in/t/$tenant/images');
const words = text.serving.imagesPage;

const STATUSES = ['BUILDING', 'READY', 'FAILED'] as const;

const FILTERS = [
  {
    key: 'status',
    label: text.serving.status,
    options: STATUSES.map((status) => ({ value: status, label: wordOf(status) })),
  },
];

const COLUMNS: readonly Column<ModelImage>[] = [
  {
    id: 'image',
    label: words.columns.image,
    sort: 'repository',
    cell: ({ repository, tag }) => (
      <span className="mono">{tag === null ? repository : `${repository}:${tag}`}</span>
    ),
  },
  {
    id: 'status',
    label: words.columns.status,
    cell: ({ status, status_message: message }) => (
      <>
        <StateChip state={status} />
        {message !== null && <Text size="sm">{message}</Text>}
      </>
    ),
  },
  {
    id: 'model',
    label: words.columns.model,
    cell: ({ model_name: name, model_version: version }) =>
      name === null || version === null ? (
        '–'
      ) : (
        <VersionLink name={name} version={version}>
          {text.serving.version(name, version)}
        </VersionLink>
      ),
  },
  {
    id: 'size',
    label: words.columns.size,
    sort: 'size_bytes',
    align: 'right',
    cell: ({ size_bytes: size, status }) => (status === 'READY' ? bytes(size) : '–'),
  },
  {
    id: 'digest',
    label: words.columns.digest,
    cell: ({ image_ref: ref }) => {
      const digest = imageDigest(ref);
      return ref === null || digest === null ? '–' : <CopyText value={ref} shown={digest.slice(0, 19)} />;
    },
  },
  { id: 'runtime', label: words.columns.runtime, cell: ({ runtime }) => runtime ?? '–' },
  { id: 'serve', label: words.columns.actions, cell: (image) => <ServeButton image={image} /> },
  {
    id: 'created',
    label: words.columns.created,
    sort: 'created_at',
    cell: ({ created_at: at }) => <Time iso={at} />,
  },
];

/** Images that pack a version of a model with its server. */
export function ImagesPage() {
  const tenant = useTenant();
  const search = route.useSearch();
  const params = { tenant: tenant.code };
  const query = listQuery(search);
  const workflows = useWorkflowColumn<ModelImage>('model-image');
  return (
    <Page
      title={words.title}
      crumbs={[{ label: text.serving.title, to: '/t/$tenant/serving', params }]}
      curl={{ path: '/api/v1/registry/images', query }}
    >
      <List
        label={words.title}
        search={search}
        queryKey={[tenant.code, 'images', 'list', search]}
        queryFn={({ signal }) =>
          body(tenant.api.GET('/api/v1/registry/images', { params: { query: query as object }, signal }))
        }
        columns={[...COLUMNS.slice(0, -1), ...workflows, ...COLUMNS.slice(-1)]}
        keyOf={({ id }) => id}
        defaultSort={{ by: 'created_at', order: 'desc' }}
        filters={FILTERS}
        everyMs={3_000}
        empty={
          <EmptyState
            sentence={words.empty}
            call={EXAMPLE_CALLS.image}
            action={
              <Button
                renderRoot={(props: object) => <Link to="/t/$tenant/models" params={params} {...props} />}
              >
                {words.emptyAction}
              </Button>
            }
          />
        }
      />
    </Page>
  );
}

function ServeButton({ image: { id, status, status_message: why } }: { image: ModelImage }) {
  const { code: tenant } = useTenant();
  const missing = useMissing('DEPLOY');
  const button = (
    <Button
      size="compact-sm"
      variant="default"
      renderRoot={(props: object) => (
        <Link to="/t/$tenant/serving/new" params={{ tenant }} search={{ image: id }} {...props} />
      )}
    >
      {words.serve}
    </Button>
  );
  if (missing !== null) return <Allowed to="DEPLOY">{button}</Allowed>;
  return <Explained reason={status === 'READY' ? null : (why ?? words.notReady)}>{button}</Explained>;
}
