import { createWorkflowHistories } from '../../activities/adapters/temporal/temporal-histories.js';
import type { Backing, DomainPart } from '../backing.js';
import type { EventStreams } from '../streams/event-streams.js';
import { registerCertificateKeys } from './certificate-keys.router.js';
import { TenantDeletionStreamController } from './tenant-deletion-stream.controller.js';
import { TenantDeletionsController } from './tenant-deletions.controller.js';
import { TenantDeletionsService } from './tenant-deletions.service.js';
import { TenantSettingsController } from './tenant-settings.controller.js';
import { TenantsController } from './tenants.controller.js';
import { TenantsService } from './tenants.service.js';

/** Tenants, their settings and their erasure. */
export function wireTenants({ db, cache, objects, workloads, events, settings }: Backing, streams: EventStreams): DomainPart {
  const tenants = new TenantsService(db, cache);
  const histories = createWorkflowHistories({ address: settings.TEMPORAL_ADDRESS, namespace: settings.TEMPORAL_NAMESPACE });
  const deletions = new TenantDeletionsService({ database: db, objects, workloads, histories }, cache, events);
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
