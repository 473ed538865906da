import { Box, Button, Group, Stack, Text } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { text } from '../../text';
import { canRetry, type Failure } from './upload-messages';

const words = text.datasets.upload;
const ROW = 44;

interface FailureListProps {
  readonly failures: readonly Failure[];
  /** Offered when it is given. @param paths null: all */
  readonly onRetry?: (paths: readonly string[] | null) => void;
}

/** Every file that was not taken, with the reason; only the lines in sight are in the page. */
export function FailureList({ failures, onRetry }: FailureListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: failures.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 6,
  });
  return (
    <Stack gap={4}>
      <Group gap="sm">
        <Text size="sm" fw={600} c="var(--state-failed)">
          {words.failures(failures.length)}
        </Text>
        {onRetry && failures.some(canRetry) && (
          <Button size="compact-xs" variant="default" onClick={() => onRetry(null)}>
            {words.retry}
          </Button>
        )}
      </Group>
      <Box
        ref={scroller}
        mah={264}
        tabIndex={0}
        role="group"
        aria-label={words.table}
        style={{ overflowY: 'auto', border: '1px solid var(--line)', borderRadius: 6 }}
      >
        <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const failure = failures[index];
            if (!failure) return null;
            const name = nameOf(failure);
            return (
              <Group
                key={`${name} ${index}`}
                px="sm"
                gap="sm"
                wrap="nowrap"
                justify="space-between"
                h={ROW}
                style={{
                  position: 'absolute',
                  top: 0,
                  left: 0,
                  right: 0,
                  transform: `translateY(${start}px)`,
                }}
              >
                <Box miw={0}>
                  <Text size="xs" className="mono" truncate="start" title={name}>
                    {name}
                  </Text>
                  <Text size="xs" c="dimmed" truncate title={reasonOf(failure)}>
                    {reasonOf(failure)}
                  </Text>
                </Box>
                {onRetry && canRetry(failure) && (
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    style={{ flexShrink: 0 }}
                    aria-label={`${words.retryOne}: ${name}`}
                    onClick={() => onRetry([failure.path])}
                  >
                    {words.retryOne}
                  </Button>
                )}
              </Group>
            );
          })}
        </div>
      </Box>
    </Stack>
  );
}

const nameOf = ({ path, member }: Failure): string => (member === undefined ? path : `${path}: ${member}`);

function reasonOf({ code, message }: Failure): string {
  if (message !== null) return message;
  return code === 'refused' ? words.phases.failed : words.reasons[code];
}
