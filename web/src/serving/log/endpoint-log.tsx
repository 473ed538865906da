import { Box, Group, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTenant } from '../../app/session';
import { ErrorCard } from '../../shared/error-card';
import { Loading } from '../../shared/loading';
import { UpdatedAgo } from '../../shared/updated-ago';
import { text } from '../../text';
import { type Endpoint, logQuery } from '../queries';

const words = text.serving.log;
const LINE_HEIGHT = 20;

/** The end of what an instance printed, followed while it goes on. */
export function EndpointLog({ endpoint: { name, replicas, status } }: { endpoint: Endpoint }) {
  const tenant = useTenant();
  const [instance, setInstance] = useState(0);
  const [isFollowed, setFollowed] = useState(true);
  const [word, setWord] = useState('');
  const query = useQuery(logQuery(tenant, name, instance, isFollowed));
  const log = query.data?.text;
  const lines = useMemo(() => linesOf(log ?? '', word), [log, word]);
  return (
    <Stack gap="sm">
      <Group gap="md" align="flex-end">
        <Select
          w={150}
          label={words.instance}
          allowDeselect={false}
          data={Array.from({ length: replicas }, (_, number) => ({
            value: String(number),
            label: words.instanceNumber(number),
          }))}
          value={String(instance)}
          onChange={(value) => setInstance(Number(value))}
        />
        <TextInput
          w={220}
          type="search"
          aria-label={words.search}
          placeholder={words.search}
          leftSection={<IconSearch size={15} aria-hidden />}
          value={word}
          onChange={(event) => setWord(event.currentTarget.value)}
        />
        <Switch
          mb={8}
          label={words.follow}
          checked={isFollowed}
          onChange={(event) => setFollowed(event.currentTarget.checked)}
        />
      </Group>
      {query.isError ? (
        <ErrorCard error={query.error} onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        <Loading />
      ) : log === '' ? (
        <Text c="dimmed">{status === 'STOPPED' ? words.none : words.empty}</Text>
      ) : (
        <Lines lines={lines} isFollowed={isFollowed && word === ''} />
      )}
      <Group gap="md">
        <Text size="xs" c="dimmed">
          {words.matches(lines.length)}. {words.tail}
        </Text>
        <UpdatedAgo at={query.dataUpdatedAt} />
      </Group>
    </Stack>
  );
}

function linesOf(log: string, word: string): string[] {
  const lines = log.replace(/\n$/, '').split('\n');
  const wanted = word.trim().toLowerCase();
  return wanted === '' ? lines : lines.filter((line) => line.toLowerCase().includes(wanted));
}

interface LinesProps {
  readonly lines: readonly string[];
  /** The end stays in sight. */
  readonly isFollowed: boolean;
}

/** Only lines in sight are in the page. */
function Lines({ lines, isFollowed }: LinesProps) {
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => frame.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 20,
  });
  const last = lines.length - 1;
  useEffect(() => {
    if (isFollowed && last >= 0) virtual.scrollToIndex(last, { align: 'end' });
  }, [isFollowed, last, virtual]);
  return (
    <Box
      ref={frame}
      h={420}
      className="mono"
      tabIndex={0}
      role="log"
      aria-label={words.label}
      aria-live="off"
      style={{
        overflow: 'auto',
        border: '1px solid var(--line)',
        borderRadius: 6,
        background: 'var(--ground-quiet)',
      }}
    >
      <div style={{ height: virtual.getTotalSize(), position: 'relative', minWidth: 'max-content' }}>
        {virtual.getVirtualItems().map((item) => (
          <div
            key={item.key}
            style={{
              position: 'absolute',
              top: 0,
              transform: `translateY(${item.start}px)`,
              height: LINE_HEIGHT,
              lineHeight: `${LINE_HEIGHT}px`,
              padding: '0 12px',
              whiteSpace: 'pre',
            }}
          >
            {lines[item.index]}
          </div>
        ))}
      </div>
    </Box>
  );
}
