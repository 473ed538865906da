import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useTenant } from '../../app/session';
import { ErrorCard } from '../../shared/error-card';
import { Loading } from '../../shared/loading';
import { allLines, tailOf } from '../../shared/log/log-lines';
import { LogViewer } from '../../shared/log/log-viewer';
import { UpdatedAgo } from '../../shared/updated-ago';
import { text } from '../../text';
import { LOG_BYTES, logQuery, logUrl } from '../queries';

const words = text.serving.log;

interface FollowedLogProps {
  readonly name: string;
  readonly instance: number;
  readonly note: ReactNode;
}

/** The end of what an instance that runs printed, read again and again. */
export function FollowedLog({ name, instance, note }: FollowedLogProps) {
  const tenant = useTenant();
  const query = useQuery(logQuery(tenant, name, instance));
  const printed = query.data?.text ?? '';
  // The first character of an end may have been cut off.
  const log = useMemo(() => tailOf(printed, new Blob([printed]).size < LOG_BYTES - 3), [printed]);
  const lines = useMemo(() => allLines(log), [log]);
  return (
    <>
      {query.isError && <ErrorCard error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending ? (
        <Loading />
      ) : lines.length === 0 ? (
        !query.isError && <Text c="dimmed">{words.empty}</Text>
      ) : (
        <LogViewer
          label={words.label(name, instance)}
          lines={lines}
          isTail={log.isTail}
          isLive
          downloadUrl={logUrl(tenant, name, instance)}
          note={
            <Group gap="sm">
              <UpdatedAgo at={query.dataUpdatedAt} />
              {log.isTail && note}
            </Group>
          }
        />
      )}
    </>
  );
}
