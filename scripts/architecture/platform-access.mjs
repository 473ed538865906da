/**
 * The files that may see the rows of every tenant, each with what it needs them for: they alone may name
 * `PlatformTransaction` or `inPlatform`. Everything else works in the transaction of one tenant.
 */
import { readdirSync, readFileSync } from 'node:fs';

export const PLATFORM_REPOSITORIES = {
  'models/orm/transaction.ts': 'defines it',
  'models/orm/database.ts': 'opens it',
  'models/orm/dispatch.repository.ts': 'the queue of all tenants',
  'models/orm/waiting-mails.repository.ts': 'mails belong to no tenant',
  'models/accounts/access-token.commands.ts': 'tokens are found before there is a tenant',
  'models/accounts/access-token.repository.ts': 'tokens are found before there is a tenant',
  'models/accounts/account.repository.ts': 'accounts and sessions belong to no tenant',
  'models/accounts/account.commands.ts': 'accounts and sessions belong to no tenant',
  'models/accounts/attempt-limit.repository.ts': 'throttles belong to no tenant',
  'models/accounts/initial-accounts.commands.ts': 'the first administrator',
  'models/accounts/membership.commands.ts': 'memberships tie accounts to tenants',
  'models/accounts/sign-in-place.repository.ts': 'the addresses of an account, whatever its tenants',
  'models/accounts/user-admin.commands.ts': "administrators' changes of accounts",
  'models/accounts/user-list.repository.ts': "administrators' list of accounts",
  'models/audit/audit-columns.repository.ts': "administrators' audit of all tenants",
  'models/audit/audit-count.commands.ts': 'counts of every chain',
  'models/audit/audit-list.repository.ts': "administrators' audit of all tenants",
  'models/audit/audit-memory.ts': "administrators' audit of all tenants",
  'models/audit/audit-removal.repository.ts': 'erasure and retention of every chain',
  'models/audit/audit-totals.ts': "administrators' audit of all tenants",
  'models/audit/audit-seal.commands.ts': 'seals every chain',
  'models/audit/audit-seal.repository.ts': 'seals every chain',
  'models/datasets/unused-versions.repository.ts': 'sweeps frozen versions of all tenants',
  'models/datasets/upload-removal.repository.ts': 'expires uploads of all tenants',
  'models/images/image-sweep.repository.ts': 'image blobs are shared by content',
  'models/notifications/expiring-tokens.commands.ts': 'tokens of every tenant',
  'models/notifications/fan-out.commands.ts': 'finds the people of every tenant',
  'models/notifications/mail-digest.commands.ts': "a person's notifications lie in several tenants",
  'models/notifications/notification-lock.ts': 'one at a time on the whole platform',
  'models/notifications/notification-retention.repository.ts': 'removes what is over, in all tenants',
  'models/notifications/preference.commands.ts': 'preferences belong to no tenant',
  'models/notifications/unread.repository.ts': "a person's notifications lie in several tenants",
  'models/objects/loose-object.repository.ts': 'objects due for removal, of all tenants',
  'models/sources/sync-schedule.repository.ts': 'scheduled syncs of all tenants',
  'models/serving/endpoint.repository.ts': 'endpoints of all tenants that should be looked at',
  'models/system/reseal.commands.ts': 'sealed values of all tenants',
  'models/system/maintenance.repository.ts': 'removes what is over, in all tenants',
  'models/system/process-heartbeat.repository.ts': 'processes of the platform',
  'models/system/workload-host.repository.ts': 'processes of the platform',
  'models/system/stalled-work.repository.ts': 'active rows of all tenants whose workflow is gone',
  'models/tenants/tenant.commands.ts': 'makes and changes tenants',
  'models/tenants/tenant.repository.ts': 'finds the tenant of a caller before there is one',
  'models/tenants/deletion.commands.ts': 'erases tenants',
  'models/tenants/deletion-notification.ts': 'erases tenants',
  'models/tenants/deletion-progress.commands.ts': 'erases tenants',
  'models/tenants/deletion.repository.ts': 'erases tenants',
  'models/tenants/erasure-survey.ts': 'erases tenants',
  'models/tenants/erasure-tables.repository.ts': 'erases tenants',
  'models/tenants/late-arrival.commands.ts': 'erases tenants',
  'models/tenants/retention.repository.ts': 'what tenants keep no longer',
  'models/training/log-removal.repository.ts': 'what tenants keep no longer',
  'models/training/log.repository.ts': 'removes log rows that are stored as files, in all tenants',
  'activities/worker.ts': 'metrics of the queue',
  'activities/dispatch/dispatcher.ts': 'the queue of all tenants',
  'activities/dispatch/mail-removal.ts': 'mails belong to no tenant',
  'activities/images/image-sweep.ts': 'housekeeping of all tenants',
  'activities/images/noted-blobs.ts': 'image blobs are shared by content',
  'activities/notifications/notification-fan-out.ts': 'finds the people of every tenant',
  'activities/notifications/notification-mails.ts': "a person's notifications lie in several tenants",
  'activities/objects/loose-object-sweeper.ts': 'housekeeping of all tenants',
  'activities/sources/sync-schedule.ts': 'scheduled syncs of all tenants',
  'activities/serving/serving-watch.ts': 'watches endpoints of all tenants',
  'activities/support/maintenance-task.ts': 'housekeeping of all tenants',
  'activities/system/audit-counter.ts': 'counts of every chain',
  'activities/system/audit-sealer.ts': 'seals every chain',
  'activities/system/heartbeat-loop.ts': 'processes of the platform',
  'activities/system/workload-host.ts': 'processes of the platform',
  'activities/system/stalled-work.ts': 'housekeeping of all tenants',
  'activities/tenants/erase-mails.ts': 'erases tenants',
  'activities/tenants/erase-objects.ts': 'erases tenants',
  'activities/tenants/erase-rows.ts': 'erases tenants',
  'activities/tenants/erase-work.ts': 'erases tenants',
  'activities/tenants/erasure-step.ts': 'erases tenants',
  'activities/tenants/find-residue.ts': 'erases tenants',
  'activities/tenants/late-arrivals.ts': 'erases tenants',
  'activities/tenants/retention-tasks.ts': 'what tenants keep no longer',
  'activities/tenants/tenant-deletion.activities.ts': 'erases tenants',
  'api/auth/refused-calls.ts': 'audit of refused calls, of tenants that are not being erased',
  'api/auth/authenticator.ts': 'finds account and tenant of a caller',
  'api/auth/token-authenticator.ts': 'finds account and tenant of a token',
  'api/accounts/access-tokens.service.ts': "a person's tokens in all tenants",
  'api/accounts/accounts.service.ts': 'sign-in and own account',
  'api/accounts/sign-in-throttle.ts': 'throttle of sign-ins',
  'api/accounts/initial-accounts.ts': 'the first administrator',
  'api/accounts/recovery.service.ts': 'forgotten passwords',
  'api/accounts/user-admin.service.ts': "administrators' changes of accounts",
  'api/notifications/notifications.service.ts': "a person's notifications lie in several tenants",
  'api/system/audit.service.ts': "administrators' audit of all tenants",
  'api/system/users.service.ts': "administrators' list of accounts",
  'api/system/worker-health.ts': 'processes of the platform',
  'api/tenants/tenant-deletions.service.ts': 'administrators erase tenants',
  'api/tenants/tenants.service.ts': 'tenants of a caller; administrators make them',
  'cli/commands/password.ts': 'sets a password at the machine itself',
  'cli/commands/reseal-secrets.ts': 'sealed values of all tenants, for whoever runs the machine',
  'cli/commands/retry-dispatch.ts': 'the queue of all tenants, for whoever runs the machine',
  'cli/commands/verify-audit.ts': 'checks every chain',
  'cli/sample/sign-in.ts': 'makes the account of the sample',
};

const FOLDERS = ['core', 'models', 'api', 'workflows', 'activities', 'cli'];
const NAMES = /\b(PlatformTransaction|inPlatform)\b/;

/** Name and meaning of the rule, in the form of the rules about imports. */
export const PLATFORM_RULE = { name: 'platform-access-is-named', comment: 'who sees every tenant stands in PLATFORM_REPOSITORIES' };

/** @returns lines `rule: file -> what is wrong`, for files that are not named and for names that are no longer true */
export function platformViolations() {
  const files = FOLDERS.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`));
  const found = new Set(files.filter((path) => path.endsWith('.ts') && NAMES.test(readFileSync(path, 'utf8'))));
  return [
    ...[...found].filter((path) => !(path in PLATFORM_REPOSITORIES)).map((path) => `${PLATFORM_RULE.name}: ${path} -> sees every tenant and is not on the list`),
    ...Object.keys(PLATFORM_REPOSITORIES)
      .filter((path) => !found.has(path))
      .map((path) => `${PLATFORM_RULE.name}: ${path} -> is on the list and needs it no longer`),
  ];
}
