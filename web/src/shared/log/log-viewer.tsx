import { useDebouncedValue } from '@mantine/hooks';
import { Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useDeferredValue, useMemo, useRef, useState } from 'react';
import { text } from '../../text';
import { count } from '../numbers';
import { countLevels, type LevelCount, matching, NO_LINES } from './log-lines';
import { LogRows } from './log-rows';
import { LogTools, useLogSettings } from './log-tools';

interface LogViewerProps {
  /** What the log is of. */
  readonly label: string;
  readonly lines: readonly string[];
  /** True while only its end is there. */
  readonly isTail: boolean;
  /** True while lines may still be added. */
  readonly isLive: boolean;
  /** Null where nothing gives it as a file. */
  readonly downloadUrl: string | null;
  /** Beside the number of lines. */
  readonly note?: ReactNode;
}

/** A log of any length: search, levels, follow, wrap. Only the lines in sight are in the page. */
export function LogViewer({ label, lines, isTail, isLive, downloadUrl, note }: LogViewerProps) {
  const [settings, change] = useLogSettings();
  // Scrolling up ends the following of this log alone; the switch is what is remembered.
  const [isFollowed, setFollowed] = useState(settings.isFollowed);
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed, 150);
  const levels = useMemo(() => new Set(settings.levels), [settings.levels]);
  const filter = useDeferredValue(useMemo(() => ({ q, levels }), [q, levels]));
  const shown = useMemo(() => matching(lines, filter), [lines, filter]);
  const counted = useRef<LevelCount>(NO_LINES);
  const known = useMemo(() => {
    counted.current = countLevels(lines, counted.current);
    return counted.current.levels;
  }, [lines]);
  const words = text.training.log;
  return (
    <Stack gap="sm">
      <LogTools
        typed={typed}
        onTyped={setTyped}
        levels={levels}
        onLevels={(chosen) => change({ levels: [...chosen] })}
        known={known}
        isFollowed={isFollowed}
        onFollow={(follows) => {
          setFollowed(follows);
          change({ isFollowed: follows });
        }}
        isWrapped={settings.isWrapped}
        onWrap={(isWrapped) => change({ isWrapped })}
        downloadUrl={downloadUrl}
      />
      <LogRows
        label={label}
        lines={lines}
        shown={shown}
        q={filter.q}
        hasNumbers={!isTail}
        isWrapped={settings.isWrapped}
        isFollowed={isFollowed}
        onFollow={setFollowed}
      />
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="dimmed">
          {shown === null
            ? words.lines(count(lines.length))
            : words.found(count(shown.length), count(lines.length))}
          {isTail && ` · ${note ? words.tailOnly : words.tail}`}
          {isLive && ` · ${words.live}`}
        </Text>
        {note}
      </Group>
    </Stack>
  );
}
