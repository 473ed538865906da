import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { body, type Schemas, tenantUrl } from '../../api/client';
import { useTenant } from '../../app/session';
import { Allowed, Explained } from '../../shared/allowed';
import { EmptyState } from '../../shared/empty-state';
import { ErrorCard } from '../../shared/error-card';
import type { Column } from '../../shared/list/column';
import { SteadyTable } from '../../shared/list/steady-table';
import { metric } from '../../shared/numbers';
import { usePageCurl } from '../../shared/page-curl';
import { isMoving, StateChip } from '../../shared/state-chip';
import { useWorkflowColumn } from '../../shared/temporal';
import { durationBetween, Time, useNow } from '../../shared/time';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { type ExperimentDetail, experimentKey, exportsQuery } from '../queries';
import { ExportDialog } from './export-dialog';

type Export = Schemas['ExportOut'];

const words = text.training.one.exports;

const COLUMNS: ReadonlyArray<Column<Export>> = [
  { id: 'formats', label: words.formats, cell: (row) => row.formats.join(', ') },
  { id: 'state', label: words.state, cell: (row) => <StateChip state={row.status} /> },
  { id: 'result', label: words.result, cell: (row) => <Result row={row} /> },
  { id: 'duration', label: words.duration, align: 'right', cell: (row) => <Duration row={row} /> },
  { id: 'created', label: words.created, cell: (row) => <Time iso={row.created_at} /> },
];

export function ExportsTab({ experiment }: { experiment: ExperimentDetail }) {
  const tenant = useTenant();
  const client = useQueryClient();
  const [isOpen, dialog] = useDisclosure(false);
  const [started, setStarted] = useState(0);
  usePageCurl({ path: `/api/v1/training/experiments/${experiment.id}/exports` });
  const workflows = useWorkflowColumn<Export>('export');
  const query = useQuery(exportsQuery(tenant, experiment.id));
  const cancel = useMutation({
    mutationFn: () =>
      body(
        tenant.api.POST('/api/v1/training/experiments/{experiment_id}/export/cancel', {
          params: { path: { experiment_id: experiment.id } },
        }),
      ),
    onSettled: () => void client.invalidateQueries({ queryKey: experimentKey(tenant, experiment.id) }),
  });
  if (query.data === undefined) return <Reading query={query} />;
  const moves = query.data.items.some(({ status }) => isMoving(status));
  const whyNot = experiment.status === 'SUCCEEDED' ? (moves ? words.moving : null) : words.notYet;
  const start = (
    <Explained reason={whyNot}>
      <Allowed to="DEVELOP">
        <Button disabled={whyNot !== null} onClick={dialog.open}>
          {words.start}
        </Button>
      </Allowed>
    </Explained>
  );
  return (
    <Stack gap="md">
      <Reading query={query} />
      {query.data.items.length === 0 ? (
        <EmptyState sentence={words.empty} action={start} />
      ) : (
        <>
          <Group>
            {start}
            {moves && (
              <Allowed to="OPERATE">
                <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
                  {words.cancel}
                </Button>
              </Allowed>
            )}
          </Group>
          {cancel.isError && <ErrorCard error={cancel.error} />}
          <SteadyTable
            label={text.training.one.tabs.exports}
            columns={[...COLUMNS, ...workflows]}
            fresh={query.data.items}
            keyOf={({ id }) => id}
            query={query}
            view={`${experiment.id} ${started}`}
          />
        </>
      )}
      <ExportDialog
        experiment={experiment}
        opened={isOpen}
        onClose={dialog.close}
        onStarted={() => setStarted(started + 1)}
      />
    </Stack>
  );
}

function Result({ row }: { row: Export }) {
  const { code } = useTenant();
  if (row.results.length === 0) return <Text size="sm">{row.status_message}</Text>;
  return row.results.map((result) => (
    <Text key={result.format} size="sm">
      {result.path === null ? (
        `${result.format}: ${result.reason ?? ''}`
      ) : (
        <>
          <Anchor
            href={tenantUrl(code, `/api/v1/runs/${row.run_id}/artifact`, {
              path: result.path,
              download: 'true',
            })}
          >
            {result.path}
          </Anchor>
          {result.max_difference !== null &&
            ` ${words.difference(metric(result.max_difference), metric(result.tolerance))}`}
        </>
      )}
    </Text>
  ));
}

function Duration({ row }: { row: Export }) {
  const now = useNow(row.started_at !== null && row.finished_at === null ? 1000 : null);
  return row.started_at === null ? '–' : durationBetween(row.started_at, row.finished_at, now);
}
