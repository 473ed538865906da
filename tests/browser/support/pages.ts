import type { Things } from './things.js';

/** One page of the console. */
export interface ConsolePage {
  /** As `web/src/<area>/routes.tsx` has it, with the path of what it stands in. */
  readonly route: string;
  /** Who opens it: somebody without a session, or the administrator. */
  readonly who: 'nobody' | 'administrator';
  /** Names of its tabs as the address has them, beside the one that opens first. */
  readonly tabs?: readonly string[];
  /** That of the address. */
  readonly search?: (things: Things) => string;
  /** Where it leads at once. */
  readonly leadsTo?: string;
}

const open = (route: string): ConsolePage => ({ route, who: 'nobody' });
const own = (route: string): ConsolePage => ({ route, who: 'administrator' });
const ofTenant = (path: string, more: Partial<ConsolePage> = {}): ConsolePage => ({
  ...own(`/t/$tenant${path}`),
  ...more,
});

/** Every page, in the order of the rail. A test fails when a route of web/src is missing here. */
export const PAGES: readonly ConsolePage[] = [
  open('/sign-in'),
  open('/forgot-password'),
  open('/reset-password'),
  open('/register'),
  open('/verify'),
  { ...own('/account'), tabs: ['password', 'sessions', 'tokens', 'notifications'] },
  own('/notifications'),
  ofTenant('/'),
  // The tenant that was open last.
  { ...own('/'), leadsTo: '/t/demo' },
  ofTenant('/datasets'),
  ofTenant('/datasets/new'),
  ofTenant('/datasets/$datasetId', {
    tabs: ['validation', 'files', 'sample', 'classes', 'source', 'usage'],
  }),
  ofTenant('/sources'),
  ofTenant('/sources/$sourceId'),
  ofTenant('/training'),
  ofTenant('/training/new'),
  ofTenant('/training/compare', { search: ({ runId, otherRunId }) => `?runs=${runId},${otherRunId}` }),
  ofTenant('/training/$experimentId', {
    tabs: ['metrics', 'log', 'config', 'artifacts', 'checkpoints', 'exports'],
  }),
  ofTenant('/experiments'),
  ofTenant('/runs/$runId', { tabs: ['metrics', 'artifacts'] }),
  ofTenant('/models'),
  ofTenant('/models/$name', { tabs: ['stages', 'performance', 'distribution', 'lineage', 'comments'] }),
  ofTenant('/models/$name/compare', { search: () => '?from=1&to=2' }),
  ofTenant('/models/$name/$version', { tabs: ['files', 'devices', 'lineage', 'comments'] }),
  ofTenant('/promotions'),
  ofTenant('/promotions/$promotionId'),
  ofTenant('/serving'),
  ofTenant('/serving/new'),
  ofTenant('/serving/$endpoint', { tabs: ['log', 'validation'] }),
  ofTenant('/images'),
  ofTenant('/edge'),
  ofTenant('/edge/$deviceId', {
    tabs: ['telemetry', 'inference', 'commands', 'policy', 'uploads', 'token'],
  }),
  ofTenant('/deployments'),
  ofTenant('/deployments/new', { search: () => '?model=digits&version=1' }),
  ofTenant('/deployments/$deploymentId', { tabs: ['devices', 'log'] }),
  ofTenant('/admin'),
  ofTenant('/admin/members'),
  ofTenant('/admin/audit'),
  ofTenant('/admin/health'),
  ofTenant('/admin/tenants'),
  ofTenant('/admin/users'),
  ofTenant('/admin/tenants/$tenantId/deletion'),
  ofTenant('/admin/deletions/$deletionId'),
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
