import { Button, Group, Text } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { useTenant } from '../../app/session';
import { ErrorCard } from '../../shared/error-card';
import { Loading } from '../../shared/loading';
import { allLines } from '../../shared/log/log-lines';
import { LogViewer } from '../../shared/log/log-viewer';
import { useLog } from '../../shared/log/use-log';
import { bytes } from '../../shared/numbers';
import { text } from '../../text';
import { logUrl } from '../queries';

interface KeptLogProps {
  readonly name: string;
  readonly instance: number;
  readonly note: ReactNode;
}

/** All that is kept of what an instance printed, as far as it is there now. */
export function KeptLog({ name, instance, note }: KeptLogProps) {
  const url = logUrl(useTenant(), name, instance);
  const log = useLog({ wholeUrl: url, fileUrl: url, bus: null });
  const lines = useMemo(() => allLines(log.text), [log.text]);
  if (log.error !== null && lines.length === 0) return <ErrorCard error={log.error} />;
  if (log.isLoading && lines.length === 0) return <Loading lines={12} />;
  if (lines.length === 0) return <Text c="dimmed">{text.serving.log.none}</Text>;
  return (
    <LogViewer
      label={text.serving.log.label(name, instance)}
      lines={lines}
      isTail={log.text.isTail}
      isLive={false}
      downloadUrl={url}
      note={
        <Group gap="sm">
          {log.restOf !== null && (
            <Button size="compact-sm" variant="default" onClick={log.loadAll}>
              {text.training.log.whole(bytes(log.restOf))}
            </Button>
          )}
          {note}
        </Group>
      }
    />
  );
}
