import {
  Box,
  Button,
  Group,
  Pagination,
  Progress,
  Stack,
  Table,
  Text,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTenant } from '../../app/session';
import { EmptyState } from '../../shared/empty-state';
import { CopyCurl } from '../../shared/copy-curl';
import { ErrorCard } from '../../shared/error-card';
import { News } from '../../shared/list/news';
import { useSteadyRows } from '../../shared/list/steady-rows';
import { bytes, count } from '../../shared/numbers';
import { isMoving, StateChip } from '../../shared/state-chip';
import { useWorkflowFact } from '../../shared/temporal';
import { durationBetween, Time, useNow } from '../../shared/time';
import { Reading } from '../../shared/reading';
import { UpdatedAgo } from '../../shared/updated-ago';
import { useLastLook } from '../../shared/use-last-look';
import { text } from '../../text';
import type { DatasetDetail, Sync } from '../queries';
import { syncsQuery } from './queries';
import { SyncActions, useSyncCancel } from './sync-actions';
import { SyncFindings } from './sync-findings';

const words = text.sources.syncs;
const PAGE = 20;
const NONE: readonly Sync[] = [];

interface SyncListProps {
  readonly dataset: DatasetDetail;
  /** Changes when the reader has started a sync, and expects to see it. */
  readonly renewal: number;
}

/** The syncs of a dataset, newest first, with those that run. */
export function SyncList({ dataset, renewal }: SyncListProps) {
  const tenant = useTenant();
  const [page, setPage] = useState(1);
  const [open, setOpen] = useState<string | null>(null);
  const query = useQuery(syncsQuery(tenant, dataset.id, page));
  const isRunning = query.data?.items.some(({ status }) => isMoving(status)) ?? false;
  // The end of a sync changes files and link.
  useLastLook(isRunning, [[tenant.code, 'datasets', dataset.id]]);
  const [own, setOwn] = useState<ReadonlySet<string>>(new Set());
  const steady = useSteadyRows({
    fresh: query.data?.items ?? NONE,
    keyOf: ({ id }) => id,
    view: `${page} ${renewal}`,
    isOfView: query.data !== undefined,
    own,
  });
  if (query.data === undefined) return <Reading query={query} lines={3} />;
  const { total } = query.data;
  return (
    <Stack gap="sm">
      <Reading query={query} />
      <Group justify="space-between">
        <Title order={2} size="h5">
          {words.title}
        </Title>
        <Group gap="sm">
          <UpdatedAgo at={query.dataUpdatedAt} />
          <News fresh={steady.waiting} gone={steady.gone.size} onShow={steady.show} />
          <CopyCurl call={{ path: `/api/v1/datasets/${dataset.id}/syncs` }} />
        </Group>
      </Group>
      {steady.rows.length === 0 ? (
        <EmptyState
          sentence={words.none}
          call={{ method: 'POST', path: `/api/v1/datasets/${dataset.id}/syncs` }}
        />
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
              {steady.rows.map((sync) => (
                <SyncRows
                  key={sync.id}
                  sync={sync}
                  isGone={steady.gone.has(sync.id)}
                  onRemoved={() => setOwn(new Set([...own, sync.id]))}
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

interface SyncRowsProps {
  readonly sync: Sync;
  readonly isGone: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onRemoved: () => void;
}

function SyncRows({ sync, isGone, isOpen, onToggle, onRemoved }: SyncRowsProps) {
  const { plan, error_count: errors, warning_count: warnings } = sync;
  const workflows = useWorkflowFact('dataset-sync', sync.id);
  const cancel = useSyncCancel(sync);
  const moves = isMoving(sync.status);
  const now = useNow(moves ? 1000 : null);
  const changes = plan && ([plan.add.files, plan.change.files, plan.remove.files] as const);
  return (
    <>
      <Table.Tr opacity={isGone ? 0.45 : undefined}>
        <Table.Td>
          <StateChip state={sync.status} />
          {isGone && <VisuallyHidden>{text.lists.gone}</VisuallyHidden>}
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
        <Table.Td>{!isGone && <SyncActions sync={sync} cancel={cancel} onRemoved={onRemoved} />}</Table.Td>
      </Table.Tr>
      {cancel.error !== null && (
        <Table.Tr>
          <Table.Td colSpan={8}>
            <ErrorCard error={cancel.error} />
          </Table.Td>
        </Table.Tr>
      )}
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
