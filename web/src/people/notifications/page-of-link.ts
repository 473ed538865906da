/** A page of the console, as the router takes it. */
export interface PageTarget {
  readonly to: string;
  readonly params: Readonly<Record<string, string>>;
  readonly search?: Readonly<Record<string, string>>;
}

type Named = Readonly<Record<string, string>>;

/** Paths of the API with the page that shows the same thing; a word in braces is one part of the path. */
const PAGES: ReadonlyArray<readonly [path: string, page: (parts: Named) => PageTarget]> = [
  [
    '/api/v1/training/experiments/{id}',
    ({ id = '' }) => ({ to: '/t/$tenant/training/$experimentId', params: { experimentId: id } }),
  ],
  [
    '/api/v1/models/{name}/versions/{version}',
    ({ name = '', version = '' }) => ({ to: '/t/$tenant/models/$name/$version', params: { name, version } }),
  ],
  ['/api/v1/models/{name}', ({ name = '' }) => ({ to: '/t/$tenant/models/$name', params: { name } })],
  [
    '/api/v1/datasets/{id}',
    ({ id = '' }) => ({ to: '/t/$tenant/datasets/$datasetId', params: { datasetId: id } }),
  ],
  [
    '/api/v1/promotions/{id}',
    ({ id = '' }) => ({ to: '/t/$tenant/promotions/$promotionId', params: { promotionId: id } }),
  ],
  [
    '/api/v1/serving/endpoints/{name}',
    ({ name = '' }) => ({ to: '/t/$tenant/serving/$endpoint', params: { endpoint: name } }),
  ],
  [
    '/api/v1/edge/devices/{id}',
    ({ id = '' }) => ({ to: '/t/$tenant/edge/$deviceId', params: { deviceId: id } }),
  ],
  [
    '/api/v1/deployments/{id}',
    ({ id = '' }) => ({ to: '/t/$tenant/deployments/$deploymentId', params: { deploymentId: id } }),
  ],
  ['/api/v1/runs/{id}', ({ id = '' }) => ({ to: '/t/$tenant/runs/$runId', params: { runId: id } })],
  [
    '/api/v1/external-sources/{id}',
    ({ id = '' }) => ({ to: '/t/$tenant/sources/$sourceId', params: { sourceId: id } }),
  ],
  [
    '/api/v1/settings/tenants/deletions/{id}',
    ({ id = '' }) => ({ to: '/t/$tenant/admin/deletions/$deletionId', params: { deletionId: id } }),
  ],
  ['/users/me/tokens', () => ({ to: '/account', params: {}, search: { tab: 'tokens' } })],
];

/**
 * The page that shows what a notification is about.
 * @param link path of the API, with the tenant as a query
 * @param shown code of the tenant in which pages of no tenant are shown; null: the reader has none
 * @returns null where the console has no such page
 */
export function pageOfLink(link: string | null, shown: string | null): PageTarget | null {
  if (link === null || !link.startsWith('/')) return null;
  const [path = '', query = ''] = link.split('?');
  for (const [pattern, page] of PAGES) {
    const parts = partsOf(pattern, path);
    if (parts === null) continue;
    const target = page(parts);
    if (!target.to.startsWith('/t/')) return target;
    const tenant = new URLSearchParams(query).get('tenant') ?? shown;
    return tenant === null ? null : { ...target, params: { tenant, ...target.params } };
  }
  return null;
}

/** @returns null when the path is none of the pattern */
function partsOf(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const parts: Record<string, string> = {};
  for (const [at, word] of wanted.entries()) {
    const value = given[at] ?? '';
    if (!word.startsWith('{')) {
      if (word !== value) return null;
    } else {
      const decoded = unescaped(value);
      if (decoded === null || decoded === '') return null;
      parts[word.slice(1, -1)] = decoded;
    }
  }
  return parts;
}

function unescaped(value: string): string | null {
  try {
    return decodeURIComponent(value);
  } catch {
    return null;
  }
}
