import { Button, Group, Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { apiOf, body } from '../../api/client';
import { unreadQuery } from '../../app/bell';
import { lastTenant } from '../../app/preferences';
import { tenantsQuery } from '../../app/session';
import type { CurlCall } from '../../shared/call-lines';
import { EmptyState } from '../../shared/empty-state';
import { ErrorCard } from '../../shared/error-card';
import { listQuery } from '../../shared/list/column';
import { List } from '../../shared/list/list-page';
import { Page } from '../../shared/page';
import { text } from '../../text';
import { type Entry, feedColumns } from '../notifications/feed-columns';

const words = text.people.feed;
const route = getRouteApi('/signed-in/notifications');
const PATH = '/api/v1/notifications';

/** The reader's feed of one tenant. The bell, which stands on every page, follows the stream and renews it. */
export function NotificationsPage() {
  const { tenant: asked, ...search } = route.useSearch();
  const { data: tenants } = useQuery(tenantsQuery);
  const codes = tenants?.items.map(({ code }) => code) ?? [];
  const tenant = [asked, lastTenant()].find((code) => codes.includes(String(code))) ?? codes[0];
  const curl = { path: PATH, query: { tenant, unread: search.unread } };
  const preferences = (
    <Button
      variant="default"
      renderRoot={(props: object) => <Link to="/account" search={{ tab: 'notifications' }} {...props} />}
    >
      {words.preferences}
    </Button>
  );
  if (tenant === undefined)
    return (
      <Page title={words.title} actions={preferences} curl={curl}>
        {text.frame.noTenant}
      </Page>
    );
  return <Feed tenant={String(tenant)} search={search} curl={curl} preferences={preferences} />;
}

interface FeedProps {
  readonly tenant: string;
  readonly search: Readonly<Record<string, string | number | undefined>>;
  readonly curl: CurlCall;
  readonly preferences: ReactNode;
}

function Feed({ tenant, search, curl, preferences }: FeedProps) {
  const api = apiOf(tenant);
  const { read, readAll } = useReading(tenant);
  const columns = useMemo(() => feedColumns(tenant, read.mutate), [tenant, read.mutate]);
  const unread = search.unread === undefined ? undefined : search.unread === 'true';
  const { page, page_size } = listQuery(search);
  return (
    <Page
      title={words.title}
      description={words.intro}
      curl={curl}
      actions={
        <>
          {preferences}
          <Button onClick={() => readAll.mutate()} loading={readAll.isPending}>
            {words.readAll}
          </Button>
        </>
      }
    >
      <Stack gap="sm">
        <Tenants shown={tenant} />
        {read.isError && <ErrorCard error={read.error} />}
        {readAll.isError && <ErrorCard error={readAll.error} />}
        <List<Entry>
          label={words.label}
          search={search}
          queryKey={['notifications', 'feed', tenant, page, unread]}
          queryFn={({ signal }) =>
            body(api.GET(PATH, { params: { query: { page, page_size, unread } }, signal }))
          }
          columns={columns}
          keyOf={({ id }) => id}
          isSearchable={false}
          filters={[
            {
              key: 'unread',
              label: words.show,
              options: [
                { value: 'true', label: words.onlyUnread },
                { value: 'false', label: words.onlyRead },
              ],
            },
          ]}
          empty={<EmptyState sentence={words.empty} call={curl} />}
          bulk={(rows, done) => (
            <Button
              size="compact-sm"
              variant="default"
              loading={read.isPending}
              onClick={() => read.mutate(rows, { onSuccess: done })}
            >
              {words.read}
            </Button>
          )}
        />
      </Stack>
    </Page>
  );
}

/** The tenants with what waits in each; none for people of one tenant. */
function Tenants({ shown }: { shown: string }) {
  const { data: tenants } = useQuery(tenantsQuery);
  const { data: unread } = useQuery(unreadQuery);
  if (tenants === undefined || tenants.total < 2) return null;
  const waiting = new Map(unread?.tenants.map((entry) => [entry.tenant_code, entry.unread]));
  return (
    <Group gap="sm" component="nav" aria-label={words.tenants}>
      {tenants.items.map(({ code, name }) => (
        <Button
          key={code}
          size="compact-sm"
          variant={code === shown ? 'light' : 'default'}
          aria-current={code === shown ? 'page' : undefined}
          renderRoot={(props: object) => <Link to="/notifications" search={{ tenant: code }} {...props} />}
        >
          {(waiting.get(code) ?? 0) === 0 ? name : words.unreadOf(name, waiting.get(code) ?? 0)}
        </Button>
      ))}
    </Group>
  );
}

function useReading(tenant: string) {
  const api = apiOf(tenant);
  const client = useQueryClient();
  const onSuccess = () => client.invalidateQueries({ queryKey: ['notifications'] });
  const read = useMutation({
    mutationFn: (entries: readonly Entry[]) =>
      Promise.all(
        entries
          .filter((entry) => !entry.read)
          .map(({ id }) =>
            body(
              api.POST('/api/v1/notifications/{notification_id}/read', {
                params: { path: { notification_id: id } },
              }),
            ),
          ),
      ),
    onSuccess,
  });
  const readAll = useMutation({
    mutationFn: () => body(api.POST('/api/v1/notifications/read-all')),
    onSuccess,
  });
  return { read, readAll };
}
