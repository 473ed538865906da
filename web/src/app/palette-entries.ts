import { text } from '../text';
import { AREAS } from './areas';
import type { Entry, Goal } from './palette-match';
import type { Permission, Rights } from './session';

const { areas, palette, account, bell } = text.frame;
const { tabs } = text.people.account;

/** The page opens the dialog that makes one. */
const OPENS = { state: { opensDialog: true } };

type More = Pick<Goal, 'search' | 'state'>;
type Row = readonly [label: string, path: string, more?: More];

/** Pages and actions that need no server, as far as the caller may use them. */
export function pages(tenant: string | null, rights: Rights): Entry[] {
  const leading = (group: string, base: string, params?: object) => (rows: readonly Row[]) =>
    rows.map(
      ([label, path, more]): Entry => ({
        label,
        group,
        to: { to: `${base}${path}`, ...(params && { params }), ...more },
      }),
    );
  const own = [...leading(palette.actions, '')(OWN_ACTIONS), ...leading(palette.pages, '')(OWN_PAGES)];
  if (tenant === null) return own;
  const actions = leading(palette.actions, '/t/$tenant', { tenant });
  const places = leading(palette.pages, '/t/$tenant', { tenant });
  return [
    ...actions(ACTIONS.filter(([permission]) => rights.may(permission)).map(([, ...row]) => row)),
    ...(rights.isAdministrator ? actions(ADMINISTRATORS_ACTIONS) : []),
    ...AREAS.map(({ label, to }) => ({ label, group: palette.pages, to: { to, params: { tenant } } })),
    ...places(PAGES),
    ...(rights.isAdministrator ? places(ADMINISTRATION) : []),
    ...own,
  ];
}

const ACTIONS: ReadonlyArray<readonly [Permission, ...Row]> = [
  ['DATASET_WRITE', palette.newDataset, '/datasets/new'],
  ['DATASET_WRITE', palette.newSource, '/sources', OPENS],
  ['DEVELOP', palette.newTraining, '/training/new'],
  ['DEVELOP', palette.newExperiment, '/experiments', OPENS],
  ['DEPLOY', palette.newEndpoint, '/serving/new'],
  ['SETTINGS', palette.newDevice, '/edge', { search: { register: 'device' } }],
  ['DEPLOY', palette.newDeployment, '/deployments/new'],
];

const ADMINISTRATORS_ACTIONS: readonly Row[] = [
  [palette.newMember, '/admin/members', OPENS],
  [palette.newTenant, '/admin/tenants', OPENS],
];

const OWN_ACTIONS: readonly Row[] = [[palette.newToken, '/account', { search: { tab: 'tokens' }, ...OPENS }]];

const PAGES: readonly Row[] = [
  [palette.sources, '/sources'],
  [palette.experiments, '/experiments'],
  [palette.promotions, '/promotions'],
  [palette.deployments, '/deployments'],
  [palette.images, '/images'],
];

const ADMINISTRATION: readonly Row[] = [
  [`${areas.admin}: ${palette.members}`, '/admin/members'],
  [`${areas.admin}: ${palette.audit}`, '/admin/audit'],
  [`${areas.admin}: ${palette.health}`, '/admin/health'],
  [`${areas.admin}: ${palette.users}`, '/admin/users'],
  [`${areas.admin}: ${palette.tenants}`, '/admin/tenants'],
  [`${areas.admin}: ${palette.deletions}`, '/admin/tenants', { search: { tab: 'deletions' } }],
];

const OWN_PAGES: readonly Row[] = [
  [account, '/account'],
  ...(['password', 'sessions', 'tokens', 'notifications'] as const).map(
    (tab): Row => [`${account}: ${tabs[tab]}`, '/account', { search: { tab } }],
  ),
  [bell(0), '/notifications'],
];
