import { Button, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { text } from '../../text';
import { ErrorCard } from '../error-card';
import { Loading } from '../loading';
import { bytes } from '../numbers';
import { allLines } from './log-lines';
import { LogViewer } from './log-viewer';
import { type LogSource, useLog } from './use-log';

interface WholeLogProps {
  /** What the log is of. */
  readonly label: string;
  readonly source: LogSource;
  readonly isLive: boolean;
  /** Said where nothing is written. */
  readonly empty: string;
  readonly note?: ReactNode;
}

/** All of a log, its end first; what is there stays when the rest cannot be had. */
export function WholeLog({ label, source, isLive, empty, note }: WholeLogProps) {
  const log = useLog(source);
  const lines = useMemo(() => allLines(log.text), [log.text]);
  const failure = log.error !== null && <ErrorCard error={log.error} onRetry={log.reload} />;
  if (lines.length === 0) {
    if (log.isLoading) return <Loading lines={12} />;
    return failure || <Text c="dimmed">{empty}</Text>;
  }
  const hasNote = log.restOf !== null || Boolean(note);
  return (
    <Stack gap="sm">
      {failure}
      <LogViewer
        label={label}
        lines={lines}
        isTail={log.text.isTail}
        isLive={isLive}
        downloadUrl={source.url}
        note={
          hasNote && (
            <Group gap="sm">
              {log.restOf !== null && (
                <Button size="compact-sm" variant="default" onClick={log.loadAll}>
                  {text.training.log.whole(bytes(log.restOf))}
                </Button>
              )}
              {note}
            </Group>
          )
        }
      />
    </Stack>
  );
}
