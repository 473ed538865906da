import { apiOf, body } from '../api/client';
import { text } from '../text';
import { AREAS } from './areas';

export interface Entry {
  readonly label: string;
  readonly group: string;
  readonly to: { readonly to: string; readonly params?: object; readonly search?: object };
}

/** Pages and actions that need no server. */
export function pages(tenant: string | null): Entry[] {
  const { areas, palette, account } = text.frame;
  const group = palette.pages;
  const own: Entry[] = [
    { label: account, group, to: { to: '/account' } },
    { label: text.frame.bell(0), group, to: { to: '/notifications' } },
  ];
  if (tenant === null) return own;
  const params = { tenant };
  return [
    { label: palette.newDataset, group: palette.actions, to: { to: '/t/$tenant/datasets/new', params } },
    { label: palette.newTraining, group: palette.actions, to: { to: '/t/$tenant/training/new', params } },
    {
      label: palette.newDevice,
      group: palette.actions,
      to: { to: '/t/$tenant/edge', params, search: { register: 'device' } },
    },
    {
      label: palette.newDeployment,
      group: palette.actions,
      to: { to: '/t/$tenant/deployments/new', params },
    },
    ...AREAS.map((area) => ({ label: area.label, group, to: { to: area.to, params } })),
    { label: palette.sources, group, to: { to: '/t/$tenant/sources', params } },
    { label: palette.experiments, group, to: { to: '/t/$tenant/experiments', params } },
    { label: palette.promotions, group, to: { to: '/t/$tenant/promotions', params } },
    { label: palette.deployments, group, to: { to: '/t/$tenant/deployments', params } },
    { label: palette.images, group, to: { to: '/t/$tenant/images', params } },
    { label: `${areas.admin}: ${palette.members}`, group, to: { to: '/t/$tenant/admin/members', params } },
    { label: `${areas.admin}: ${palette.audit}`, group, to: { to: '/t/$tenant/admin/audit', params } },
    ...own,
  ];
}

export const matching = (entries: readonly Entry[], typed: string): Entry[] => {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter((entry) => words.every((word) => entry.label.toLowerCase().includes(word)));
};

/** Datasets, trainings, models and devices whose name holds the text, five of each. */
export async function findThings(tenant: string, q: string, signal: AbortSignal): Promise<Entry[]> {
  const api = apiOf(tenant);
  const query = { q, page_size: 5 };
  const [datasets, trainings, models, devices] = await Promise.all([
    body(api.GET('/api/v1/datasets', { params: { query }, signal })),
    body(api.GET('/api/v1/training/experiments', { params: { query }, signal })),
    body(api.GET('/api/v1/models', { params: { query }, signal })),
    body(api.GET('/api/v1/edge/fleet', { params: { query }, signal })),
  ]);
  const { areas } = text.frame;
  return [
    ...datasets.items.map((dataset) => ({
      label: dataset.name,
      group: areas.datasets,
      to: { to: '/t/$tenant/datasets/$datasetId', params: { tenant, datasetId: dataset.id } },
    })),
    ...trainings.items.map((training) => ({
      label: training.name,
      group: areas.training,
      to: { to: '/t/$tenant/training/$experimentId', params: { tenant, experimentId: training.id } },
    })),
    ...models.items.map((model) => ({
      label: model.name,
      group: areas.models,
      to: { to: '/t/$tenant/models/$name', params: { tenant, name: model.name } },
    })),
    ...devices.items.map(({ id }) => ({
      label: id,
      group: areas.edge,
      to: { to: '/t/$tenant/edge/$deviceId', params: { tenant, deviceId: id } },
    })),
  ];
}
