import type { Api } from '../api/client';
import { text } from '../text';
import { entries, type Kind } from './palette-match';

const { areas } = text.frame;

/** True of what a frozen dataset is called by its data: the sha256 of its manifest. */
export const isDigest = (q: string): boolean => /^[0-9a-f]{64}$/.test(q);

/** Datasets with these data, and what was made from them: models, endpoints and devices. @param pageSize of each kind */
export function thingsOfDigest(
  api: Api,
  tenant: string,
  digest: string,
  pageSize: number,
  signal: AbortSignal,
): Kind[] {
  const made = { dataset_digest: digest, page_size: pageSize };
  return [
    entries(
      areas.datasets,
      api.GET('/api/v1/datasets', { params: { query: { digest, page_size: pageSize } }, signal }),
      ({ id, name }) => ({
        label: name,
        to: { to: '/t/$tenant/datasets/$datasetId', params: { tenant, datasetId: id } },
      }),
    ),
    entries(areas.models, api.GET('/api/v1/models', { params: { query: made }, signal }), ({ name }) => ({
      label: name,
      to: { to: '/t/$tenant/models/$name', params: { tenant, name }, search: { tab: 'lineage' } },
    })),
    entries(
      areas.serving,
      api.GET('/api/v1/serving/endpoints', { params: { query: { dataset_digest: digest } }, signal }),
      ({ name }) => ({
        label: name,
        to: { to: '/t/$tenant/serving/$endpoint', params: { tenant, endpoint: name } },
      }),
    ),
    entries(areas.edge, api.GET('/api/v1/edge/fleet', { params: { query: made }, signal }), ({ id }) => ({
      label: id,
      to: { to: '/t/$tenant/edge/$deviceId', params: { tenant, deviceId: id } },
    })),
  ];
}
