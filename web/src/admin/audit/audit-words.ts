/** What the address of the audit page holds. */
export interface AuditSearch {
  readonly page?: number;
  readonly action?: string | number;
  readonly actor?: string | number;
  readonly target?: string | number;
  readonly since?: string | number;
  readonly until?: string | number;
  readonly after?: string | number;
  readonly scope?: string | number;
}

/** Entries that can be reached by the number of a page; beyond them the list goes on with `after`. */
const NUMBERED = 10_000;

/** The API's query. @param tenant code of the tenant that the page is about */
export function auditQuery(
  search: AuditSearch,
  tenant: string,
  pageSize: number,
): Record<string, string | number> {
  const query: Record<string, string | number> = { page_size: pageSize };
  for (const name of ['action', 'actor', 'target', 'since', 'until'] as const) {
    const value = search[name];
    if (value !== undefined && value !== '') query[name] = value;
  }
  if (search.scope !== 'all') query.tenant = tenant;
  // The number of a page counts from the newest entry: who chooses one leaves the way by `after`.
  if (search.after !== undefined && search.page === undefined) query.after = search.after;
  else query.page = search.page ?? 1;
  return query;
}

/** Where the same entries come as a file. */
export function csvPath(search: AuditSearch, tenant: string): string {
  const { page: _page, page_size: _size, after: _after, ...filters } = auditQuery(search, tenant, 1);
  const words = Object.entries(filters).map(([name, value]) => [name, String(value)]);
  return `/api/v1/system/audit?${new URLSearchParams([...words, ['format', 'csv']]).toString()}`;
}

/** Whether the numbered pages end here and the list goes on. */
export const goesOn = (search: AuditSearch, isCapped: boolean, pageSize: number): boolean =>
  search.after !== undefined || (isCapped && (search.page ?? 1) * pageSize >= NUMBERED);

/** Actions by what they are about, each area first: `dataset.` stands for all of it. */
export function actionChoices(
  actions: readonly string[],
  anything: (area: string) => string,
): Array<{ group: string; items: Array<{ value: string; label: string }> }> {
  const areas = new Map<string, string[]>();
  for (const action of actions) {
    const area = action.split('.')[0] ?? action;
    areas.set(area, [...(areas.get(area) ?? []), action]);
  }
  return [...areas].map(([area, own]) => ({
    group: area,
    items: [
      ...(own.length > 1 ? [{ value: `${area}.`, label: anything(area) }] : []),
      ...own.map((action) => ({ value: action, label: action })),
    ],
  }));
}
