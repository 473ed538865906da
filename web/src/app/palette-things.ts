import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { type Api, api, apiOf, body } from '../api/client';
import { text } from '../text';
import { isDigest, thingsOfDigest } from './digest-things';
import { entries, type Kind, matching, settled } from './palette-match';
import { trackedThings } from './tracked-things';
import type { Rights } from './session';

/** So many of a kind are shown. */
const SHOWN = 5;
/** So many of what the API has no search for are looked through, the latest of them. */
const LATEST = 200;

const { areas, palette } = text.frame;

/**
 * Things of the tenant whose name holds the text, five of each kind.
 * @throws what went wrong with the first, when no kind could be had
 */
export async function findThings(
  { tenant, rights }: { readonly tenant: string; readonly rights: Rights },
  q: string,
  client: QueryClient,
  signal: AbortSignal,
) {
  const people = rights.isAdministrator ? [usersOf(tenant, q, signal)] : [];
  const [found, latest] = await Promise.all([
    settled([...searched(apiOf(tenant), tenant, q, signal), ...people]),
    client.fetchQuery(latestQuery(tenant)),
  ]);
  if (found.kinds.length + latest.kinds.length === 0) throw found.error;
  return {
    things: [...found.kinds, ...latest.kinds.map((kind) => matching(kind, q).slice(0, SHOWN))].flat(),
    failed: [...found.failed, ...latest.failed],
  };
}

/** What the API itself searches. */
function searched(api: Api, tenant: string, q: string, signal: AbortSignal): Kind[] {
  if (isDigest(q)) return thingsOfDigest(api, tenant, q, SHOWN, signal);
  const of = { params: { query: { q, page_size: SHOWN } }, signal };
  return [
    entries(areas.datasets, api.GET('/api/v1/datasets', of), ({ id, name }) => ({
      label: name,
      to: { to: '/t/$tenant/datasets/$datasetId', params: { tenant, datasetId: id } },
    })),
    entries(areas.training, api.GET('/api/v1/training/experiments', of), ({ id, name }) => ({
      label: name,
      to: { to: '/t/$tenant/training/$experimentId', params: { tenant, experimentId: id } },
    })),
    entries(areas.models, api.GET('/api/v1/models', of), ({ name }) => ({
      label: name,
      to: { to: '/t/$tenant/models/$name', params: { tenant, name } },
    })),
    entries(areas.edge, api.GET('/api/v1/edge/fleet', of), ({ id }) => ({
      label: id,
      to: { to: '/t/$tenant/edge/$deviceId', params: { tenant, deviceId: id } },
    })),
    ...tracked(api, tenant, q, signal),
  ];
}

/** Administrators alone may look for people; the list of users shows who was found. */
const usersOf = (tenant: string, q: string, signal: AbortSignal): Kind =>
  entries(
    palette.users,
    api.GET('/api/v1/system/users', { params: { query: { q, page_size: SHOWN } }, signal }),
    ({ email }) => ({
      label: email,
      to: { to: '/t/$tenant/admin/users', params: { tenant }, search: { q: email } },
    }),
  );

const latestQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'palette', 'latest'],
    queryFn: ({ signal }) => settled(latest(apiOf(tenant), tenant, signal)),
    staleTime: ({ state }) => (state.data?.failed.length === 0 ? 30_000 : 0),
  });

/** What the API lists without a search. */
function latest(api: Api, tenant: string, signal: AbortSignal): Kind[] {
  return [
    entries(areas.serving, api.GET('/api/v1/serving/endpoints', { signal }), ({ name }) => ({
      label: name,
      to: { to: '/t/$tenant/serving/$endpoint', params: { tenant, endpoint: name } },
    })),
    entries(
      palette.deployments,
      api.GET('/api/v1/deployments/recent', { params: { query: { limit: LATEST } }, signal }),
      ({ id, model_name, version, target_device_id }) => ({
        label: palette.deployment(model_name, version, target_device_id),
        to: { to: '/t/$tenant/deployments/$deploymentId', params: { tenant, deploymentId: id } },
      }),
    ),
    entries(
      palette.promotions,
      api.GET('/api/v1/promotions', { params: { query: { page_size: LATEST } }, signal }),
      ({ id, model_name, to_version }) => ({
        label: palette.version(model_name, to_version),
        to: { to: '/t/$tenant/promotions/$promotionId', params: { tenant, promotionId: id } },
      }),
    ),
    entries(palette.sources, api.GET('/api/v1/external-sources', { signal }), ({ id, name }) => ({
      label: name,
      to: { to: '/t/$tenant/sources/$sourceId', params: { tenant, sourceId: id } },
    })),
    entries(palette.tenants, api.GET('/api/v1/tenants', { signal }), ({ code, name }) => ({
      label: name === code ? name : `${name} (${code})`,
      to: { to: '/t/$tenant', params: { tenant: code } },
    })),
  ];
}

/** Experiments of the tracker, and the latest runs of them and of others that hold the text. */
function tracked(api: Api, tenant: string, q: string, signal: AbortSignal): Kind[] {
  const tree = body(
    api.GET('/api/v1/experiments/tree', { params: { query: { q, max_runs: SHOWN } }, signal }),
  ).then(({ items }) => trackedThings(items, tenant, q));
  return [
    { group: palette.experiments, entries: tree.then(({ experiments }) => experiments.slice(0, SHOWN)) },
    { group: palette.runs, entries: tree.then(({ runs }) => runs) },
  ];
}
