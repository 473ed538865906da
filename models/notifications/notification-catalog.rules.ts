import { type Permission, type Role, roleGrants, ROLES } from '../access/permission.rules.js';
import type { Channels, NotificationGroup, NotificationKind } from './notification.types.js';

const MINUTE_S = 60;
const HOUR_S = 3600;
const BOTH: Channels = { inApp: true, email: true };
const IN_APP: Channels = { inApp: true, email: false };

const members = (permission: Permission) => ({ to: 'members', permission }) as const;
const ADMINISTRATORS = { to: 'administrators' } as const;
const PERSON = { to: 'person' } as const;

/**
 * What people can be notified of, in the order in which preferences are shown. People switch groups, not single
 * kinds.
 */
export const NOTIFICATION_GROUPS: readonly NotificationGroup[] = [
  { key: 'training', title: 'Training', description: 'Experiments that ended.', defaults: IN_APP },
  { key: 'models', title: 'Models', description: 'Promotions and changes of stage.', defaults: IN_APP },
  {
    key: 'datasets',
    title: 'Datasets',
    description: 'Validations that ended and synchronisations that failed.',
    defaults: IN_APP,
  },
  { key: 'deployments', title: 'Deployments', description: 'Deployments that failed.', defaults: BOTH },
  {
    key: 'edge',
    title: 'Edge fleet',
    description: 'Tokens of devices that are about to expire.',
    defaults: BOTH,
  },
  { key: 'alerts', title: 'Alerts', description: 'Alerts that fired.', defaults: BOTH },
  {
    key: 'account',
    title: 'Account',
    description: "One's own access tokens that are about to expire.",
    defaults: BOTH,
  },
  {
    key: 'platform',
    title: 'Platform',
    description: 'Deletions of tenants; for global administrators.',
    defaults: BOTH,
  },
];

/**
 * Each kind with who gets it. `window`: what happens again within it, about the same subject (`same:
 * 'subject'`) or about anything of the kind in the tenant (`same: 'kind'`), adds to the count of the entry
 * that is there.
 */
export const NOTIFICATION_KINDS = [
  {
    key: 'experiment_finished',
    group: 'training',
    title: 'Experiment finished',
    audience: members('DEVELOP'),
    same: 'subject',
    windowS: HOUR_S,
  },
  {
    key: 'experiment_failed',
    group: 'training',
    title: 'Experiment failed',
    audience: members('DEVELOP'),
    same: 'subject',
    windowS: HOUR_S,
  },
  {
    key: 'experiment_canceled',
    group: 'training',
    title: 'Experiment canceled',
    audience: members('DEVELOP'),
    same: 'subject',
    windowS: HOUR_S,
  },
  {
    key: 'promotion_requested',
    group: 'models',
    title: 'Promotion requested',
    audience: members('PRODUCTION_PROMOTE'),
    same: 'subject',
    windowS: HOUR_S,
  },
  {
    key: 'promotion_decided',
    group: 'models',
    title: 'Promotion decided',
    audience: members('STAGING_PROMOTE'),
    same: 'subject',
    windowS: HOUR_S,
  },
  {
    key: 'model_stage_changed',
    group: 'models',
    title: 'Stage of a model changed',
    audience: members('STAGING_PROMOTE'),
    same: 'subject',
    windowS: HOUR_S,
  },
  {
    key: 'dataset_validated',
    group: 'datasets',
    title: 'Dataset validated',
    audience: members('DATASET_WRITE'),
    same: 'subject',
    windowS: HOUR_S,
  },
  {
    key: 'dataset_invalid',
    group: 'datasets',
    title: 'Dataset failed its validation',
    audience: members('DATASET_WRITE'),
    same: 'subject',
    windowS: HOUR_S,
  },
  {
    key: 'dataset_sync_failed',
    group: 'datasets',
    title: 'Dataset could not be synchronised',
    audience: members('DATASET_WRITE'),
    same: 'subject',
    windowS: 24 * HOUR_S,
  },
  {
    key: 'deployment_failed',
    group: 'deployments',
    title: 'Deployment failed',
    audience: members('DEPLOY'),
    same: 'subject',
    windowS: HOUR_S,
  },
  {
    key: 'alert_fired',
    group: 'alerts',
    title: 'Alerts fired',
    audience: members('OPERATE'),
    same: 'kind',
    windowS: 15 * MINUTE_S,
  },
  {
    key: 'device_token_expiring',
    group: 'edge',
    title: 'Token of a device about to expire',
    audience: members('SETTINGS'),
    same: 'subject',
    windowS: 24 * HOUR_S,
  },
  {
    key: 'token_expiring',
    group: 'account',
    title: 'Access token about to expire',
    audience: PERSON,
    same: 'subject',
    windowS: 24 * HOUR_S,
  },
  {
    key: 'tenant_deletion_started',
    group: 'platform',
    title: 'Deletion of a tenant started',
    audience: ADMINISTRATORS,
    same: 'subject',
    windowS: HOUR_S,
  },
  {
    key: 'tenant_deletion_done',
    group: 'platform',
    title: 'Deletion of a tenant done',
    audience: ADMINISTRATORS,
    same: 'subject',
    windowS: HOUR_S,
  },
  {
    key: 'tenant_deletion_failed',
    group: 'platform',
    title: 'Deletion of a tenant failed',
    audience: ADMINISTRATORS,
    same: 'subject',
    windowS: 24 * HOUR_S,
  },
] as const satisfies readonly NotificationKind[];

export type NotificationKindKey = (typeof NOTIFICATION_KINDS)[number]['key'];

const BY_KEY = new Map<string, NotificationKind>(NOTIFICATION_KINDS.map((kind) => [kind.key, kind]));

/** Undefined for a kind that an older or newer version of the platform wrote. */
export const kindOf = (key: string): NotificationKind | undefined => BY_KEY.get(key);

export const groupOf = (key: string): NotificationGroup | undefined =>
  NOTIFICATION_GROUPS.find((group) => group.key === kindOf(key)?.group);

/** Who may see a kind, as pairs for a query; a global administrator counts as ADMIN in every tenant. */
export function kindRolePairs(): { kinds: string[]; roles: Role[] } {
  const pairs = NOTIFICATION_KINDS.flatMap(({ key, audience }) =>
    audience.to === 'members'
      ? ROLES.filter((role) => roleGrants(role, audience.permission)).map((role) => ({ key, role }))
      : [],
  );
  return { kinds: pairs.map(({ key }) => key), roles: pairs.map(({ role }) => role) };
}

/** Kinds that only global administrators get. */
export const administratorKinds = (): string[] =>
  NOTIFICATION_KINDS.filter(({ audience }) => audience.to === 'administrators').map(({ key }) => key);

/**
 * Kinds that somebody with this role in a tenant may see there, apart from what was addressed to the person.
 */
export const kindsOfRole = (role: Role): string[] =>
  NOTIFICATION_KINDS.filter(
    ({ audience }) => audience.to === 'members' && roleGrants(role, audience.permission),
  ).map(({ key }) => key);

/** Who gets the kind, in words. */
export function audienceText({ audience }: NotificationKind): string {
  switch (audience.to) {
    case 'members':
      return `members whose role includes ${audience.permission}`;
    case 'administrators':
      return 'global administrators';
    case 'person':
      return 'the person concerned';
  }
}
