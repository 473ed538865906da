import { Anchor, Button } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { EmptyState } from '../../shared/empty-state';
import { EXAMPLE_CALLS } from '../../shared/example-calls';
import { type Column, listQuery } from '../../shared/list/column';
import { List } from '../../shared/list/list-page';
import { Page } from '../../shared/page';
import { StateChip, wordOf } from '../../shared/state-chip';
import { Time } from '../../shared/time';
import { text } from '../../text';
import { VersionLink } from '../../shared/links';
import type { Promotion } from '../queries';

const route = getRouteApi('/signed-in/t/$tenant/promotions');
const words = text.models.promotions;

const STATUSES = [
  'WAITING_APPROVAL',
  'PENDING_CHECKS',
  'APPROVED',
  'APPLIED',
  'REJECTED',
  'EXPIRED',
  'FAILED',
  'ROLLED_BACK',
] as const;

const FILTERS = [
  {
    key: 'status',
    label: words.status,
    options: STATUSES.map((status) => ({ value: status, label: wordOf(status) })),
  },
];

const columns: readonly Column<Promotion>[] = [
  {
    id: 'what',
    label: words.columns.what,
    cell: (promotion) => (
      <PromotionLink id={promotion.id} label={`${promotion.model_name} ${promotion.to_version}`} />
    ),
  },
  { id: 'status', label: words.columns.status, cell: ({ status }) => <StateChip state={status} /> },
  { id: 'message', label: words.columns.message, cell: (promotion) => promotion.status_message },
  { id: 'reason', label: words.columns.reason, cell: ({ reason }) => <span>{reason}</span> },
  { id: 'by', label: words.columns.by, cell: ({ requested_by_name: name }) => name ?? '–' },
  {
    id: 'previous',
    label: words.columns.previous,
    align: 'right',
    cell: ({ model_name: name, previous_version: previous }) =>
      previous === null ? '–' : <VersionLink name={name} version={previous} />,
  },
  { id: 'when', label: words.columns.when, cell: ({ created_at: at }) => <Time iso={at} /> },
];

/** Everything that was asked to go to Production, newest first. */
export function PromotionsPage() {
  const tenant = useTenant();
  const search = route.useSearch();
  const params = { tenant: tenant.code };
  return (
    <Page
      title={words.title}
      crumbs={[{ label: text.models.title, to: '/t/$tenant/models', params }]}
      curl={{ path: '/api/v1/promotions', query: listQuery(search) }}
    >
      <List
        label={words.label}
        search={search}
        queryKey={[tenant.code, 'promotions', 'list', search]}
        queryFn={({ signal }) => {
          const { page, page_size } = listQuery(search);
          const status = STATUSES.find((known) => known === search.status);
          return body(
            tenant.api.GET('/api/v1/promotions', { params: { query: { page, page_size, status } }, signal }),
          );
        }}
        columns={columns}
        keyOf={({ id }) => id}
        filters={FILTERS}
        isSearchable={false}
        empty={
          <EmptyState
            sentence={words.empty}
            call={EXAMPLE_CALLS.promotion}
            action={
              <Button
                renderRoot={(props: object) => <Link to="/t/$tenant/models" params={params} {...props} />}
              >
                {words.emptyAction}
              </Button>
            }
          />
        }
      />
    </Page>
  );
}

function PromotionLink({ id, label }: { id: string; label: string }) {
  const { code: tenant } = useTenant();
  return (
    <Anchor
      renderRoot={(props: object) => (
        <Link to="/t/$tenant/promotions/$promotionId" params={{ tenant, promotionId: id }} {...props} />
      )}
    >
      {label}
    </Anchor>
  );
}
