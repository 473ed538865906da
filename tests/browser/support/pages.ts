import type { Things } from './things.js';

/** A dialog of a page that is opened by a button, or by an entry of a menu. */
export interface PageDialog {
  readonly opens: string | RegExp;
  /** The button of the menu in which it is opened. */
  readonly menu?: string;
  /** The words of the address under which the button is there. */
  readonly view?: string;
  /** What is filled in, by the label of its field. */
  readonly fills?: Readonly<Record<string, string>>;
  /** The button that sends it. */
  readonly sends?: string;
}

/** One page of the console. */
export interface ConsolePage {
  /** As `web/src/<area>/routes.tsx` has it, with the path of what it stands in. */
  readonly route: string;
  /** Who opens it: somebody without a session, or the administrator. */
  readonly who: 'nobody' | 'administrator';
  /** Names of its tabs as the address has them, beside the one that opens first. */
  readonly tabs?: readonly string[];
  /** Other words of the address that show another part of it. */
  readonly views?: readonly string[];
  readonly dialogs?: readonly PageDialog[];
  /** Tabs that show what the page has read, and read nothing themselves. */
  readonly readByPage?: readonly string[];
  /** Tabs that follow a stream; they copy the call that reads what it says. */
  readonly followed?: readonly string[];
  /** Why "Copy as curl" is not on it. */
  readonly showsNoCall?: string;
  /** That of the address. */
  readonly search?: (things: Things) => string;
  /** Where it leads at once. */
  readonly leadsTo?: string;
}

const open = (route: string, showsNoCall: string): ConsolePage => ({ route, who: 'nobody', showsNoCall });
const own = (route: string): ConsolePage => ({ route, who: 'administrator' });
const ofTenant = (path: string, more: Partial<ConsolePage> = {}): ConsolePage => ({
  ...own(`/t/$tenant${path}`),
  ...more,
});

const WITHOUT_TOKEN = 'It makes no call with a token, and what it sends is a password or a secret of a mail.';

/** Every page, in the order of the rail. A test fails when a route of web/src is missing here. */
export const PAGES: readonly ConsolePage[] = [
  open('/sign-in', WITHOUT_TOKEN),
  open('/forgot-password', WITHOUT_TOKEN),
  open('/reset-password', WITHOUT_TOKEN),
  open('/register', WITHOUT_TOKEN),
  open('/verify', WITHOUT_TOKEN),
  {
    ...own('/account'),
    tabs: ['password', 'sessions', 'tokens', 'notifications'],
    readByPage: ['password'],
    dialogs: [
      {
        view: 'tab=tokens',
        opens: 'New token',
        fills: { Name: 'in vain' },
        sends: 'Make the token',
      },
    ],
  },
  own('/notifications'),
  ofTenant('/', { dialogs: [{ opens: /^Search/ }] }),
  // The tenant that was open last.
  { ...own('/'), leadsTo: '/t/demo' },
  ofTenant('/datasets'),
  ofTenant('/datasets/new'),
  ofTenant('/datasets/$datasetId', {
    tabs: ['validation', 'files', 'sample', 'classes', 'source', 'usage'],
    readByPage: ['validation', 'source'],
    dialogs: [
      { opens: /^Open / },
      { menu: 'More actions', opens: 'Edit name', fills: { Name: 'in vain' }, sends: 'Save' },
    ],
  }),
  ofTenant('/sources', {
    dialogs: [
      { opens: 'Add a source', fills: { Name: 'in vain', Address: 'https://example.com' }, sends: 'Add' },
    ],
  }),
  ofTenant('/sources/$sourceId'),
  ofTenant('/training'),
  ofTenant('/training/new', { views: ['step=model', 'step=dataset', 'step=parameters', 'step=review'] }),
  ofTenant('/training/compare', {
    search: ({ runId, otherRunId }) => `?runs=${runId},${otherRunId}`,
    views: ['view=table', 'view=parallel'],
  }),
  ofTenant('/training/$experimentId', {
    tabs: ['metrics', 'log', 'config', 'artifacts', 'checkpoints', 'exports'],
    readByPage: ['config'],
  }),
  ofTenant('/experiments', {
    dialogs: [{ opens: 'New experiment', fills: { Name: 'in vain' }, sends: 'Create' }],
  }),
  ofTenant('/runs/$runId', {
    tabs: ['metrics', 'artifacts'],
    readByPage: ['metrics'],
    dialogs: [
      { opens: 'Register the model', fills: { 'Model name': 'in-vain' }, sends: 'Register the model' },
    ],
  }),
  ofTenant('/models'),
  ofTenant('/models/$name', {
    tabs: ['stages', 'performance', 'distribution', 'devices', 'lineage', 'comments'],
    readByPage: ['lineage'],
    dialogs: [{ opens: /^Promote/, fills: { Reason: 'in vain' }, sends: 'Request the promotion' }],
  }),
  ofTenant('/models/$name/compare', { search: () => '?from=1&to=2' }),
  ofTenant('/models/$name/$version', {
    tabs: ['files', 'devices', 'lineage', 'comments'],
    readByPage: ['lineage'],
  }),
  ofTenant('/promotions'),
  ofTenant('/promotions/$promotionId'),
  ofTenant('/serving'),
  ofTenant('/serving/new'),
  ofTenant('/serving/$endpoint', {
    tabs: ['log', 'validation'],
    readByPage: ['validation'],
    followed: ['log'],
    dialogs: [{ opens: 'Stop', sends: 'Stop' }],
  }),
  ofTenant('/images'),
  ofTenant('/edge', {
    dialogs: [{ opens: 'Register a device', fills: { Id: 'in-vain' }, sends: 'Register' }],
  }),
  ofTenant('/edge/$deviceId', {
    tabs: ['telemetry', 'inference', 'commands', 'policy', 'uploads', 'token'],
    readByPage: ['policy', 'token'],
    dialogs: [
      {
        ...{ view: 'tab=token', opens: 'Revoke the token', sends: 'Revoke the token' },
        fills: { 'Type line-3-camera': 'line-3-camera' },
      },
    ],
  }),
  ofTenant('/deployments'),
  ofTenant('/deployments/new', { search: () => '?model=digits&version=1' }),
  ofTenant('/deployments/$deploymentId', { tabs: ['devices', 'log'] }),
  ofTenant('/admin'),
  ofTenant('/admin/members', {
    dialogs: [
      {
        opens: 'Add somebody',
        fills: { 'E-mail address': 'vain@example.com' },
        sends: 'Give the role',
      },
    ],
  }),
  ofTenant('/admin/audit'),
  ofTenant('/admin/health'),
  ofTenant('/admin/tenants', {
    tabs: ['deletions'],
    dialogs: [
      { opens: 'New tenant', fills: { Name: 'in vain' }, sends: 'Make the tenant' },
      { opens: 'Settings of Laboratory', fills: { Name: 'in vain' }, sends: 'Save' },
    ],
  }),
  ofTenant('/admin/users'),
  ofTenant('/admin/tenants/$tenantId/deletion'),
  ofTenant('/admin/deletions/$deletionId', {
    tabs: ['log', 'certificate'],
    readByPage: ['log', 'certificate'],
  }),
];

/** Path below `/console` of a page about things that are there. */
export function addressOf({ route, search }: ConsolePage, things: Things): string {
  const parts: Readonly<Record<string, string>> = { tenant: 'demo', ...things };
  const path = route.replace(/\$(\w+)/g, (_, name: string) => {
    const part = parts[name];
    if (part === undefined) throw new Error(`the lane makes nothing for $${name} of ${route}`);
    return encodeURIComponent(part);
  });
  return path + (search?.(things) ?? '');
}
