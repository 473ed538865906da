import { Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { EmptyState } from '../../shared/empty-state';
import { DatasetLink } from '../../shared/links';
import { type Column, listPart, listQuery } from '../../shared/list/column';
import { List } from '../../shared/list/list-page';
import { bytes } from '../../shared/numbers';
import { ProgressText } from '../../shared/progress-text';
import { wordOf } from '../../shared/state-chip';
import { Time } from '../../shared/time';
import { text } from '../../text';
import { agentLines } from '../token/device-snippets';
import { type Device, deviceKey, listTransfers, type Transfer } from '../queries';
import { TRANSFER_STATES, TransferState } from '../states';
import { usePageCurl } from '../../shared/page-curl';

const words = text.edge.uploads;

const FILTERS = [
  {
    key: 'state',
    label: words.state,
    options: TRANSFER_STATES.map((value) => ({ value, label: wordOf(value) })),
  },
];

const COLUMNS: readonly Column<Transfer>[] = [
  {
    id: 'file',
    label: words.file,
    cell: ({ filename }) => (
      <Text span className="mono" style={{ overflowWrap: 'anywhere' }}>
        {filename}
      </Text>
    ),
  },
  { id: 'state', label: words.state, cell: ({ state }) => <TransferState state={state} /> },
  { id: 'progress', label: words.progress, cell: (row) => <TransferProgress transfer={row} /> },
  { id: 'size', label: words.size, align: 'right', cell: ({ size }) => bytes(size) },
  { id: 'kind', label: words.kind, cell: ({ kind }) => kind },
  { id: 'dataset', label: words.dataset, cell: ({ dataset_id: id }) => <DatasetLink id={id} /> },
  { id: 'error', label: words.error, isExtra: true, cell: ({ error }) => error ?? '–' },
  { id: 'updated', label: words.updated, cell: ({ updated_at: at }) => <Time iso={at} /> },
];

/** Files that a device sends into datasets. */
export function UploadsTab({ device: { id } }: { device: Device }) {
  const tenant = useTenant();
  const search = listPart(useSearch({ strict: false }), 'state');
  usePageCurl({ path: `/api/v1/edge/devices/${encodeURIComponent(id)}/uploads`, query: listQuery(search) });
  return (
    <List<Transfer>
      label={words.label}
      search={search}
      queryKey={[...deviceKey(tenant, id), 'uploads', search]}
      queryFn={({ signal }) => listTransfers(tenant, id, search, signal)}
      columns={COLUMNS}
      keyOf={({ upload_id: upload }) => upload}
      filters={FILTERS}
      isSearchable={false}
      empty={<EmptyState sentence={words.empty} code={agentLines(window.location.origin)} />}
    />
  );
}

/** Parts that have arrived while it is open; a failure with its reason. */
function TransferProgress({ transfer }: { transfer: Transfer }) {
  const { state, received, chunk_count: all, error } = transfer;
  if (state === 'failed')
    return (
      <Text size="sm" c="var(--state-failed)" maw={320} style={{ overflowWrap: 'anywhere' }}>
        {error ?? '–'}
      </Text>
    );
  const percent = state === 'open' && all > 0 ? (received / all) * 100 : 100;
  return (
    <ProgressText
      percent={percent}
      label={words.progress}
      shown={state === 'open' ? words.chunks(received, all) : undefined}
    />
  );
}
