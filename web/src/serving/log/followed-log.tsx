import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useTenant } from '../../app/session';
import { allLines, tailOf } from '../../shared/log/log-lines';
import { LogViewer } from '../../shared/log/log-viewer';
import { UpdatedAgo } from '../../shared/updated-ago';
import { Reading } from '../../shared/reading';
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
      <Reading query={query} />
      {query.data && lines.length === 0 && <Text c="dimmed">{words.empty}</Text>}
      {lines.length > 0 && (
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
