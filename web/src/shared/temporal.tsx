import { Anchor } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { tenantsQuery, useRights } from '../app/session';
import { text } from '../text';
import type { Column } from './list/column';
import { type LongWork, workflowsUrl } from './workflow-pages';

/** What the installation says to its console. */
interface Installation {
  /** Temporal's own pages of the platform's namespace; null where they have no known address. */
  readonly workflows: string | null;
}

export const installationQuery = queryOptions({
  queryKey: ['installation'],
  queryFn: async ({ signal }): Promise<Installation> => {
    const answer = await fetch('/console/installation.json', { signal });
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    return answer.json();
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** Links from long work to its workflows, for those who operate the platform and where Temporal has pages; else null. */
function useWorkflowLink(kind: LongWork): ((id: string) => ReactNode) | null {
  const { tenant: code = null } = useParams({ strict: false });
  const mayOperate = useRights(code).may('OPERATE');
  const { data: tenants } = useQuery(tenantsQuery);
  const { data: installation } = useQuery({ ...installationQuery, enabled: mayOperate });
  const owner =
    kind === 'tenant-deletion' ? 'platform' : tenants?.items.find((tenant) => tenant.code === code)?.id;
  const pages = installation?.workflows ?? null;
  if (!mayOperate || pages === null || owner === undefined) return null;
  return (id) => (
    <Anchor key={id} inherit href={workflowsUrl(pages, kind, owner, id)} target="_blank" rel="noreferrer">
      {text.shared.inTemporal}
    </Anchor>
  );
}

/** The fact that leads from long work to its workflows; none where there is no such link. */
export function useWorkflowFact(
  kind: LongWork,
  id: string,
): ReadonlyArray<readonly [name: string, value: ReactNode]> {
  const link = useWorkflowLink(kind);
  return link === null ? [] : [[text.shared.workflows, link(id)]];
}

/** The same as a column of a list. */
export function useWorkflowColumn<T extends { readonly id: string }>(
  kind: LongWork,
): ReadonlyArray<Column<T>> {
  const link = useWorkflowLink(kind);
  return link === null ? [] : [{ id: 'workflows', label: text.shared.workflows, cell: ({ id }) => link(id) }];
}
