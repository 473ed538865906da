import { Button, Chip, Group, Switch, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconDownload, IconSearch } from '@tabler/icons-react';
import { useMemo } from 'react';
import { text } from '../../text';
import { count } from '../numbers';
import { LEVELS, type Level } from './log-lines';

interface LogSettings {
  readonly isFollowed: boolean;
  readonly isWrapped: boolean;
  readonly levels: readonly Level[];
}

const DEFAULTS: LogSettings = { isFollowed: true, isWrapped: false, levels: LEVELS };

/** How this browser shows logs; it is remembered. */
export function useLogSettings() {
  const [kept, keep] = useLocalStorage<Partial<LogSettings>>({
    key: 'visionops.log',
    defaultValue: DEFAULTS,
    getInitialValueInEffect: false,
  });
  const settings = useMemo(() => ({ ...DEFAULTS, ...kept }), [kept]);
  return [settings, (change: Partial<LogSettings>) => keep({ ...settings, ...change })] as const;
}

interface LogToolsProps {
  readonly typed: string;
  readonly onTyped: (typed: string) => void;
  readonly levels: ReadonlySet<Level>;
  readonly onLevels: (levels: ReadonlySet<Level>) => void;
  /** Lines of each level. */
  readonly known: Readonly<Record<Level, number>>;
  readonly isFollowed: boolean;
  readonly onFollow: (isFollowed: boolean) => void;
  readonly isWrapped: boolean;
  readonly onWrap: (isWrapped: boolean) => void;
  readonly downloadUrl: string | null;
}

export function LogTools(props: LogToolsProps) {
  const { levels } = props;
  const words = text.training.log;
  return (
    <Group gap="sm" wrap="wrap" role="search">
      <TextInput
        size="sm"
        w={240}
        type="search"
        data-search
        aria-label={words.search}
        placeholder={words.searchHint}
        leftSection={<IconSearch size={15} aria-hidden />}
        value={props.typed}
        onChange={(event) => props.onTyped(event.currentTarget.value)}
      />
      <Chip.Group
        multiple
        value={[...levels]}
        onChange={(chosen) => props.onLevels(new Set(chosen as Level[]))}
      >
        <Group gap={4} role="group" aria-label={words.levels}>
          {LEVELS.map((level) => (
            <Chip key={level} value={level} size="xs" variant="outline">
              {words.level[level]} {count(props.known[level])}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      <Switch
        size="sm"
        label={words.follow}
        checked={props.isFollowed}
        onChange={(event) => props.onFollow(event.currentTarget.checked)}
      />
      <Switch
        size="sm"
        label={words.wrap}
        checked={props.isWrapped}
        onChange={(event) => props.onWrap(event.currentTarget.checked)}
      />
      {props.downloadUrl !== null && (
        <Button
          component="a"
          href={props.downloadUrl}
          download
          variant="default"
          size="compact-md"
          leftSection={<IconDownload size={15} aria-hidden />}
        >
          {words.download}
        </Button>
      )}
    </Group>
  );
}
