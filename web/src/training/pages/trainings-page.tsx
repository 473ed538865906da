import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { EmptyState } from '../../shared/empty-state';
import { EXAMPLE_CALLS } from '../../shared/example-calls';
import { type ListSearch, listQuery } from '../../shared/list/column';
import { List } from '../../shared/list/list-page';
import { Page } from '../../shared/page';
import { wordOf } from '../../shared/state-chip';
import { text } from '../../text';
import { BulkActions } from '../list/bulk-actions';
import { COLUMNS } from '../list/columns';

const route = getRouteApi('/signed-in/t/$tenant/training');
const PATH = '/api/v1/training/experiments';
const STATES = ['QUEUED', 'PREPARING', 'RUNNING', 'FINALIZING', 'SUCCEEDED', 'FAILED', 'CANCELED'] as const;

export function TrainingsPage() {
  const words = text.training.list;
  const tenant = useTenant();
  const search: ListSearch = route.useSearch();
  const query = listQuery(search) as never;
  return (
    <Page title={words.title} curl={{ path: PATH, query }} actions={<Actions />}>
      <List
        label={words.label}
        search={search}
        queryKey={[tenant.code, 'training', 'list', search]}
        queryFn={({ signal }) => body(tenant.api.GET(PATH, { params: { query }, signal }))}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        defaultSort={{ by: 'created_at', order: 'desc' }}
        filters={[
          {
            key: 'status',
            label: words.state,
            options: STATES.map((value) => ({ value, label: wordOf(value) })),
          },
        ]}
        everyMs={5000}
        bulk={(rows, done) => <BulkActions rows={rows} done={done} />}
        empty={<EmptyState sentence={words.empty} action={<TrainButton />} call={EXAMPLE_CALLS.training} />}
      />
    </Page>
  );
}

function Actions() {
  const { code } = useTenant();
  return (
    <>
      <Button
        variant="default"
        renderRoot={(props: object) => (
          <Link to="/t/$tenant/experiments" params={{ tenant: code }} {...props} />
        )}
      >
        {text.training.list.experiments}
      </Button>
      <TrainButton />
    </>
  );
}

function TrainButton() {
  const { code } = useTenant();
  return (
    <Allowed to="DEVELOP">
      <Button
        leftSection={<IconPlus size={16} aria-hidden />}
        renderRoot={(props: object) => (
          <Link to="/t/$tenant/training/new" params={{ tenant: code }} {...props} />
        )}
      >
        {text.training.list.train}
      </Button>
    </Allowed>
  );
}
