import { ActionIcon, Indicator } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import { api, body } from '../api/client';
import { useEvents } from '../api/use-events';
import { text } from '../text';

export const unreadQuery = queryOptions({
  queryKey: ['notifications', 'unread'],
  queryFn: ({ signal }) => body(api.GET('/api/v1/notifications/unread-count', { signal })),
});

/** How many notifications wait, live. */
export function Bell() {
  const { data } = useQuery({ ...unreadQuery, refetchInterval: 60_000 });
  const client = useQueryClient();
  const refresh = useCallback(
    (hint: unknown) => {
      void client.invalidateQueries({ queryKey: ['notifications'] });
      // The stream broke or is open again: what could not be read meanwhile is tried once more.
      if (hint === null)
        void client.invalidateQueries({ predicate: ({ state }) => state.status === 'error' });
    },
    [client],
  );
  useEvents('/api/v1/stream/notifications', ['notification'], refresh);
  const unread = data?.total ?? 0;
  return (
    <Indicator
      label={unread > 99 ? '99+' : unread}
      disabled={unread === 0}
      size={15}
      offset={5}
      color="red.8"
    >
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={text.frame.bell(unread)}
        renderRoot={(props: object) => <Link to="/notifications" {...props} />}
      >
        <IconBell size={18} aria-hidden />
      </ActionIcon>
    </Indicator>
  );
}
