import { Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTenant } from '../../app/session';
import { ErrorCard } from '../../shared/error-card';
import { useSearchChange } from '../../shared/list/list-page';
import { Loading } from '../../shared/loading';
import { allLines, tailOf } from '../../shared/log/log-lines';
import { LogViewer } from '../../shared/log/log-viewer';
import type { TabSearch } from '../../shared/tabs';
import { UpdatedAgo } from '../../shared/updated-ago';
import { text } from '../../text';
import { type Endpoint, LOG_BYTES, logQuery } from '../queries';

const words = text.serving.log;

/** The end of what an instance printed, read again while it runs. */
export function EndpointLog({ endpoint: { name, replicas, status } }: { endpoint: Endpoint }) {
  const tenant = useTenant();
  const search: TabSearch = useSearch({ strict: false });
  const change = useSearchChange();
  const instance = Math.min(Math.max(0, Number(search.instance) || 0), replicas - 1);
  const isLive = status !== 'STOPPED' && status !== 'FAILED';
  const query = useQuery(logQuery(tenant, name, instance, isLive));
  const printed = query.data?.text ?? '';
  const log = useMemo(() => tailOf(printed, printed.length < LOG_BYTES), [printed]);
  const lines = useMemo(() => allLines(log), [log]);
  return (
    <Stack gap="sm">
      {replicas > 1 && (
        <Select
          w={160}
          label={words.instance}
          allowDeselect={false}
          data={Array.from({ length: replicas }, (_, number) => ({
            value: String(number),
            label: words.instanceNumber(number),
          }))}
          value={String(instance)}
          onChange={(value) => change({ instance: value === '0' ? undefined : (value ?? undefined) })}
        />
      )}
      {query.isError && <ErrorCard error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending ? (
        <Loading />
      ) : lines.length === 0 ? (
        !query.isError && <Text c="dimmed">{isLive ? words.empty : words.none}</Text>
      ) : (
        <LogViewer
          label={words.label(name, instance)}
          lines={lines}
          isTail={log.isTail}
          isLive={isLive}
          downloadUrl={null}
          note={<UpdatedAgo at={query.dataUpdatedAt} />}
        />
      )}
    </Stack>
  );
}
