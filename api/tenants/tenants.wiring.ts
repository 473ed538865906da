import { openKeptMails } from '../../adapters/smtp/open-mailer.js';
import { temporalAccess } from '../../adapters/temporal/temporal-access.js';
import type { WorkflowHistories } from '../../core/ports/workflow-histories.js';
import type { Settings } from '../../core/config/settings.js';
import type { DomainPart, ProcessResources } from '../process-resources.js';
import type { EventStreams } from '../streams/event-streams.js';
import { registerCertificateKeys } from './certificate-keys.router.js';
import { TenantDeletionStreamController } from './tenant-deletion-stream.controller.js';
import { TenantDeletionsController } from './tenant-deletions.controller.js';
import { TenantDeletionsService } from './tenant-deletions.service.js';
import { TenantSettingsController } from './tenant-settings.controller.js';
import { TenantsController } from './tenants.controller.js';
import { TenantsService } from './tenants.service.js';

/** Tenants, their settings and their erasure. */
export function wireTenants(
  { db, cache, objects, events, settings }: ProcessResources,
  streams: EventStreams,
): DomainPart {
  const tenants = new TenantsService(db, cache);
  const histories = openHistories(settings);
  const deletions = new TenantDeletionsService(
    { database: db, objects, histories, mails: openKeptMails(settings) },
    cache,
    events,
  );
  return {
    controllers: [
      [TenantsController, () => new TenantsController(tenants)],
      [TenantSettingsController, () => new TenantSettingsController(tenants)],
      [TenantDeletionsController, () => new TenantDeletionsController(deletions)],
      [TenantDeletionStreamController, () => new TenantDeletionStreamController(deletions, streams)],
    ],
    rawRouters: [(routes) => registerCertificateKeys(routes, settings.SERVICE_SECRET_KEYS)],
    close: () => histories.close(),
  };
}

/** Temporal's client is loaded with the first preview: hardly any API process ever needs it. */
function openHistories(settings: Settings): Pick<WorkflowHistories, 'count' | 'close'> {
  let opened: Promise<WorkflowHistories> | null = null;
  const open = () => {
    opened ??= import('../../adapters/temporal/temporal-histories.js').then(({ createWorkflowHistories }) =>
      createWorkflowHistories({ ...temporalAccess(settings), namespace: settings.TEMPORAL_NAMESPACE }),
    );
    return opened;
  };
  return {
    count: async (tenantId) => (await open()).count(tenantId),
    close: async () => (await opened)?.close(),
  };
}
