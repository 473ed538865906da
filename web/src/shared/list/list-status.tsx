import { Button, Group, Popover, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { text } from '../../text';
import { ErrorCard } from '../error-card';
import { count } from '../numbers';
import { News } from './news';

interface StatusProps {
  readonly total: number;
  readonly isCapped: boolean;
  /** When it was read. */
  readonly when: ReactNode;
  /** Why the list could not be read again; null when it could. */
  readonly error: unknown;
  readonly onRetry: () => void;
  /** Rows that came and rows that went since the list was shown. */
  readonly news: { readonly fresh: number; readonly gone: number };
  readonly onShow: () => void;
  /** What can be done with the chosen rows; null as long as none is chosen. */
  readonly bulk?: { readonly chosen: number; readonly buttons: ReactNode } | null;
}

/** The line above the rows. Its place is kept whatever it says, so that the rows stay where they are. */
export function ListStatus({ bulk = null, ...props }: StatusProps) {
  return (
    <Group mih={30} gap="sm" justify="space-between" wrap={bulk ? 'wrap' : 'nowrap'}>
      {bulk ? (
        <Group gap="sm" role="toolbar" aria-label={text.lists.chosen(bulk.chosen)}>
          <Text size="sm">{text.lists.chosen(bulk.chosen)}</Text>
          {bulk.buttons}
        </Group>
      ) : (
        <Group gap="md" wrap="nowrap" miw={0} flex={1} style={{ overflow: 'hidden', whiteSpace: 'nowrap' }}>
          <Text size="sm" c="dimmed">
            {text.lists.total(count(props.total), props.isCapped)}
          </Text>
          {props.when}
        </Group>
      )}
      <Group gap="sm" wrap="nowrap" role="status">
        {props.error !== null && <NotUpToDate error={props.error} onRetry={props.onRetry} />}
        <News {...props.news} onShow={props.onShow} />
      </Group>
    </Group>
  );
}

function NotUpToDate({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <Popover position="bottom-end" withArrow trapFocus width={360}>
      <Popover.Target>
        <Button variant="default" c="var(--state-failed)" size="compact-sm">
          {text.lists.notUpToDate}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={0}>
        <ErrorCard error={error} onRetry={onRetry} />
      </Popover.Dropdown>
    </Popover>
  );
}
