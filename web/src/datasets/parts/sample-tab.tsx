import { Alert, Box, Group, List, Select, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { useSearchChange } from '../../shared/search-change';
import { bytes, count, metric } from '../../shared/numbers';
import { usePageCurl } from '../../shared/page-curl';
import type { TabSearch } from '../../shared/tabs';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { type DatasetDetail, sampleQuery } from '../queries';
import { type ColumnStats, shownValue, statsOf } from './column-stats';

const words = text.datasets.sample;
const LIMITS = ['20', '50', '100', '200'];
const HIDDEN = ['content_url', 'preview_url', 'file_id'];

/** The first rows of a table, or files spread over the classes, with figures of their columns. */
export function SampleTab({ dataset }: { dataset: DatasetDetail }) {
  const tenant = useTenant();
  const search: TabSearch = useSearch({ strict: false });
  const change = useSearchChange();
  const limit = LIMITS.includes(String(search.limit)) ? Number(search.limit) : 20;
  usePageCurl({ path: `/api/v1/datasets/${dataset.id}/sample`, query: { limit } });
  const query = useQuery(sampleQuery(tenant, dataset, limit));
  if (query.data === undefined) return <Reading query={query} />;
  const sample = query.data;
  const columns = sample.columns.filter((name) => sample.kind === 'table' || !HIDDEN.includes(name));
  const rows = sample.rows as ReadonlyArray<Readonly<Record<string, unknown>>>;
  const types = new Map(sample.table?.variables.map(({ name, dtype }) => [name, dtype]));
  return (
    <Stack gap="md">
      <Reading query={query} />
      <Group justify="space-between" gap="sm">
        <Stack gap={0}>
          <Text>{words.shown(rows.length, sample.total === null ? null : count(sample.total))}</Text>
          {sample.table && (
            <Text size="sm" c="dimmed">
              {words.file} <span className="mono">{sample.table.path}</span>,{' '}
              {words.read(bytes(sample.table.bytes_read))}
            </Text>
          )}
        </Stack>
        <Group gap="sm">
          <Select
            size="sm"
            w={90}
            aria-label={words.limit}
            allowDeselect={false}
            data={LIMITS}
            value={String(limit)}
            onChange={(value) => change({ limit: value ?? undefined })}
          />
        </Group>
      </Group>
      {sample.notes.length > 0 && (
        <Alert color="yellow" variant="light">
          <List size="sm">
            {sample.notes.map((note) => (
              <List.Item key={note}>{note}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      {rows.length === 0 ? (
        <Text>{words.none}</Text>
      ) : (
        <>
          <Rows columns={columns} rows={rows} />
          <Statistics stats={statsOf(columns, rows)} types={types} rows={rows.length} />
        </>
      )}
    </Stack>
  );
}

function Rows({
  columns,
  rows,
}: {
  columns: readonly string[];
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>;
}) {
  return (
    <Box
      mah={480}
      style={{ overflow: 'auto', border: '1px solid var(--line)', borderRadius: 6 }}
      tabIndex={0}
      role="group"
      aria-label={words.rows}
    >
      <Table verticalSpacing={4} stickyHeader aria-label={words.rows}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((name) => (
              <Table.Th key={name} style={{ whiteSpace: 'nowrap' }}>
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a table have no other name
            <Table.Tr key={at}>
              {columns.map((name) => (
                <Table.Td key={name} ta={typeof row[name] === 'number' ? 'right' : undefined}>
                  <Text size="sm" maw={320} truncate title={shownValue(row[name])}>
                    {shownValue(row[name])}
                  </Text>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}

function Statistics({
  stats,
  types,
  rows,
}: {
  stats: readonly ColumnStats[];
  types: ReadonlyMap<string, string>;
  rows: number;
}) {
  const heads = [words.column, words.type, words.empty, words.distinct, words.min, words.max, words.mean];
  return (
    <Stack gap="sm">
      <div>
        <Title order={2} size="h5">
          {words.statistics}
        </Title>
        <Text size="sm" c="dimmed">
          {words.statisticsHint(rows)}
        </Text>
      </div>
      <Table.ScrollContainer minWidth={640}>
        <Table verticalSpacing={4} aria-label={words.statistics}>
          <Table.Thead>
            <Table.Tr>
              {heads.map((head, at) => (
                <Table.Th key={head} ta={at > 1 ? 'right' : undefined}>
                  {head}
                </Table.Th>
              ))}
              <Table.Th>{words.frequent}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {stats.map(({ name, empty, distinct, numbers, frequent }) => (
              <Table.Tr key={name}>
                <Table.Td>{name}</Table.Td>
                <Table.Td className="mono">{types.get(name) ?? ''}</Table.Td>
                <Table.Td ta="right">{count(empty)}</Table.Td>
                <Table.Td ta="right">{count(distinct)}</Table.Td>
                <Table.Td ta="right">{metric(numbers?.min)}</Table.Td>
                <Table.Td ta="right">{metric(numbers?.max)}</Table.Td>
                <Table.Td ta="right">{metric(numbers?.mean)}</Table.Td>
                <Table.Td>
                  <Text size="sm" maw={300} truncate>
                    {frequent.map(({ value, count: times }) => `${value} (${times})`).join(', ')}
                  </Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}
