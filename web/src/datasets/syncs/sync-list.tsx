import { Box, Button, Group, Pagination, Progress, Stack, Table, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { CopyCurl } from '../../shared/copy-curl';
import { bytes, count } from '../../shared/numbers';
import { isMoving, StateChip } from '../../shared/state-chip';
import { useWorkflowFact } from '../../shared/temporal';
import { durationBetween, Time, useNow } from '../../shared/time';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import type { DatasetDetail, Sync } from '../queries';
import { syncsQuery } from './queries';
import { SyncFindings } from './sync-findings';

const words = text.sources.syncs;
const PAGE = 20;

/** The syncs of a dataset, newest first, with those that run. */
export function SyncList({ dataset }: { dataset: DatasetDetail }) {
  const tenant = useTenant();
  const client = useQueryClient();
  const [page, setPage] = useState(1);
  const [open, setOpen] = useState<string | null>(null);
  const query = useQuery(syncsQuery(tenant, dataset.id, page));
  const isRunning = query.data?.items.some(({ status }) => isMoving(status)) ?? false;
  const wasRunning = useRef(false);
  useEffect(() => {
    // The end of a sync changes files and link.
    if (wasRunning.current && !isRunning)
      void client.invalidateQueries({ queryKey: [tenant.code, 'datasets', dataset.id] });
    wasRunning.current = isRunning;
  }, [isRunning, client, tenant.code, dataset.id]);
  if (query.data === undefined) return <Reading query={query} lines={3} />;
  const { items, total } = query.data;
  return (
    <Stack gap="sm">
      <Reading query={query} />
      <Group justify="space-between">
        <Title order={2} size="h5">
          {words.title}
        </Title>
        <CopyCurl call={{ path: `/api/v1/datasets/${dataset.id}/syncs` }} />
      </Group>
      {items.length === 0 ? (
        <Text c="dimmed">{words.none}</Text>
      ) : (
        <Table.ScrollContainer minWidth={720}>
          <Table verticalSpacing={6} aria-label={words.label}>
            <Table.Thead>
              <Table.Tr>
                {[
                  words.status,
                  words.progress,
                  words.changes,
                  words.problems,
                  words.trigger,
                  words.started,
                  words.took,
                ].map((head) => (
                  <Table.Th key={head}>{head}</Table.Th>
                ))}
                <Table.Th aria-label={words.cancel} />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {items.map((sync) => (
                <SyncRows
                  key={sync.id}
                  sync={sync}
                  isOpen={open === sync.id}
                  onToggle={() => setOpen(open === sync.id ? null : sync.id)}
                />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {total > PAGE && (
        <Pagination
          size="sm"
          total={Math.ceil(total / PAGE)}
          value={page}
          onChange={setPage}
          getControlProps={(control) => ({ 'aria-label': text.lists.page[control] })}
          getItemProps={(number) => ({ 'aria-label': text.lists.pageNumber(number) })}
        />
      )}
    </Stack>
  );
}

function SyncRows({ sync, isOpen, onToggle }: { sync: Sync; isOpen: boolean; onToggle: () => void }) {
  const { plan, error_count: errors, warning_count: warnings } = sync;
  const workflows = useWorkflowFact('dataset-sync', sync.id);
  const moves = isMoving(sync.status);
  const now = useNow(moves ? 1000 : null);
  const changes = plan && ([plan.add.files, plan.change.files, plan.remove.files] as const);
  return (
    <>
      <Table.Tr>
        <Table.Td>
          <StateChip state={sync.status} />
        </Table.Td>
        <Table.Td miw={170}>
          <SyncProgress sync={sync} />
        </Table.Td>
        <Table.Td aria-label={changes ? words.planLabel(...changes) : undefined}>
          {changes ? words.plan(...changes) : '–'}
        </Table.Td>
        <Table.Td>
          {errors + warnings === 0 && sync.status_message === null && workflows.length === 0 ? (
            '–'
          ) : (
            <Button size="compact-xs" variant="subtle" onClick={onToggle} aria-expanded={isOpen}>
              {errors > 0 ? words.errors(errors) : warnings > 0 ? words.warnings(warnings) : words.details}
            </Button>
          )}
        </Table.Td>
        <Table.Td>{words.triggers[sync.trigger]}</Table.Td>
        <Table.Td>
          <Time iso={sync.created_at} />
        </Table.Td>
        <Table.Td>
          {sync.started_at === null ? '–' : durationBetween(sync.started_at, sync.finished_at, now)}
        </Table.Td>
        <Table.Td>
          <SyncAction sync={sync} />
        </Table.Td>
      </Table.Tr>
      {isOpen && (
        <Table.Tr>
          <Table.Td colSpan={8}>
            <SyncFindings datasetId={sync.dataset_id} syncId={sync.id} />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}

function SyncProgress({ sync: { progress, status, status_message: message } }: { sync: Sync }) {
  const { percent, files_done: done, files_total: all, bytes_per_s: rate } = progress;
  return (
    <Box>
      {isMoving(status) && <Progress value={percent} size="sm" aria-label={words.progress} />}
      <Text size="xs" c="dimmed">
        {words.files(count(done), count(all))}
        {isMoving(status) && rate !== null ? `, ${bytes(Math.round(rate))}/s` : ''}
      </Text>
      {isMoving(status) && message !== null && (
        <Text size="xs" c="dimmed">
          {message}
        </Text>
      )}
    </Box>
  );
}

function SyncAction({ sync }: { sync: Sync }) {
  const tenant = useTenant();
  const client = useQueryClient();
  const init = { params: { path: { dataset_id: sync.dataset_id, sync_id: sync.id } } };
  const act = useMutation({
    mutationFn: async () => {
      if (isMoving(sync.status))
        await body(tenant.api.POST('/api/v1/datasets/{dataset_id}/syncs/{sync_id}:cancel', init));
      else await body(tenant.api.DELETE('/api/v1/datasets/{dataset_id}/syncs/{sync_id}', init));
    },
    onSettled: () => client.invalidateQueries({ queryKey: [tenant.code, 'datasets', sync.dataset_id] }),
  });
  return (
    <Allowed to="DATASET_WRITE">
      <Button size="compact-xs" variant="default" loading={act.isPending} onClick={() => act.mutate()}>
        {isMoving(sync.status) ? words.cancel : words.delete}
      </Button>
    </Allowed>
  );
}
