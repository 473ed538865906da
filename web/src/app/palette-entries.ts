import { text } from '../text';
import { AREAS } from './areas';
import type { Entry } from './palette-match';
import type { Permission, Rights } from './session';

/** Pages and actions that need no server, as far as the caller may use them. */
export function pages(tenant: string | null, rights: Rights): Entry[] {
  const { palette, account, bell } = text.frame;
  const own = [
    { label: account, group: palette.pages, to: { to: '/account' } },
    { label: bell(0), group: palette.pages, to: { to: '/notifications' } },
  ];
  if (tenant === null) return own;
  const entry = (group: string, label: string, path: string, search?: object): Entry => ({
    label,
    group,
    to: { to: `/t/$tenant${path}`, params: { tenant }, ...(search && { search }) },
  });
  const actions = ACTIONS.filter(([permission]) => rights.may(permission));
  return [
    ...actions.map(([, label, path, search]) => entry(palette.actions, label, path, search)),
    ...AREAS.map(({ label, to }) => ({ label, group: palette.pages, to: { to, params: { tenant } } })),
    ...PAGES.map(([label, path]) => entry(palette.pages, label, path)),
    ...(rights.isAdministrator
      ? ADMINISTRATION.map(([label, path]) => entry(palette.pages, label, path))
      : []),
    ...own,
  ];
}

const { areas, palette } = text.frame;

const ACTIONS: ReadonlyArray<readonly [Permission, label: string, path: string, search?: object]> = [
  ['DATASET_WRITE', palette.newDataset, '/datasets/new'],
  ['DEVELOP', palette.newTraining, '/training/new'],
  ['DEPLOY', palette.newEndpoint, '/serving/new'],
  ['SETTINGS', palette.newDevice, '/edge', { register: 'device' }],
  ['DEPLOY', palette.newDeployment, '/deployments/new'],
];

const PAGES: ReadonlyArray<readonly [label: string, path: string]> = [
  [palette.sources, '/sources'],
  [palette.experiments, '/experiments'],
  [palette.promotions, '/promotions'],
  [palette.deployments, '/deployments'],
  [palette.images, '/images'],
];

const ADMINISTRATION: ReadonlyArray<readonly [label: string, path: string]> = [
  [`${areas.admin}: ${palette.members}`, '/admin/members'],
  [`${areas.admin}: ${palette.audit}`, '/admin/audit'],
  [`${areas.admin}: ${palette.health}`, '/admin/health'],
  [`${areas.admin}: ${palette.users}`, '/admin/users'],
  [`${areas.admin}: ${palette.tenants}`, '/admin/tenants'],
];
