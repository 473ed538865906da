import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { api, body, type Schemas } from '../../api/client';
import { useTenant } from '../../app/session';
import { Explained } from '../../shared/allowed';
import { EmptyState } from '../../shared/empty-state';
import { PAGE_SIZE } from '../../shared/list/column';
import { List } from '../../shared/list/list-page';
import { useSearchChange } from '../../shared/search-change';
import { Page } from '../../shared/page';
import { text } from '../../text';
import { ForAdministrators, useNotAdministrator } from '../administrators';
import { auditColumns } from '../audit/audit-columns';
import { AuditEntryDetail } from '../audit/audit-entry';
import { AuditFilters } from '../audit/audit-filters';
import { auditQuery, csvPath, goesOn } from '../audit/audit-words';
import { adminCrumbs } from '../crumbs';
import type { AuditEntry } from '../queries';

const words = text.admin.audit;
const route = getRouteApi('/signed-in/t/$tenant/admin/audit');
const PATH = '/api/v1/system/audit';

export function AuditPage() {
  const { code } = useTenant();
  const search = route.useSearch();
  const reason = useNotAdministrator();
  return (
    <Page
      title={words.title}
      crumbs={adminCrumbs(code)}
      description={words.intro}
      curl={{ path: PATH, query: auditQuery(search, code, PAGE_SIZE) }}
      actions={
        <Explained reason={reason}>
          <Button component="a" variant="default" href={csvPath(search, code)} download="audit.csv">
            {words.csv}
          </Button>
        </Explained>
      }
    >
      <ForAdministrators>{() => <Trail tenant={code} />}</ForAdministrators>
    </Page>
  );
}

function Trail({ tenant }: { tenant: string }) {
  const search = route.useSearch();
  const change = useSearchChange();
  const [shown, setShown] = useState<AuditEntry | null>(null);
  const columns = useMemo(() => auditColumns(setShown), []);
  const query = auditQuery(search, tenant, PAGE_SIZE);
  const list = {
    queryKey: ['admin', 'audit', 'list', query],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      // As a file it is only fetched by the link above.
      body(api.GET(PATH, { params: { query: query as never }, signal })) as Promise<Schemas['AuditPage']>,
  };
  const { data } = useQuery(list);
  const isBeyond = goesOn(search, data?.total_capped === true, PAGE_SIZE);
  return (
    <Stack gap="md">
      <AuditFilters search={search} tenant={tenant} />
      <List<AuditEntry>
        label={words.label}
        search={search}
        queryKey={list.queryKey}
        queryFn={list.queryFn}
        columns={columns}
        keyOf={({ id }) => id}
        isSearchable={false}
        empty={<EmptyState sentence={words.empty} call={{ path: PATH }} />}
        everyMs={search.after === undefined ? 10_000 : 60_000}
      />
      {isBeyond && (
        <Group gap="sm">
          {search.after !== undefined && (
            <Button variant="default" onClick={() => change({ after: undefined, page: undefined })}>
              {words.newest}
            </Button>
          )}
          {data?.next && (
            <Button
              variant="default"
              onClick={() => change({ after: data.next ?? undefined, page: undefined })}
            >
              {words.older}
            </Button>
          )}
        </Group>
      )}
      {shown !== null && <AuditEntryDetail entry={shown} onClose={() => setShown(null)} />}
    </Stack>
  );
}
