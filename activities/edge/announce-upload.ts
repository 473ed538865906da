import type { EventBus } from '../../core/ports/event-bus.js';
import { asTenantId } from '../../core/security/ids.js';
import { findUploadEnd } from '../../models/edge/uploads/edge-upload.queries.js';
import type { Database } from '../../models/orm/in-tenant.js';

/** Announces to those who watch a device how an upload of it went. A hint: what fails here is dropped. */
export const createUploadAnnouncer =
  ({ database, events }: { readonly database: Database; readonly events: EventBus }) =>
  async ({ tenantId, uploadId }: { readonly tenantId: string; readonly uploadId: string }): Promise<void> => {
    const end = await database
      .inTenant(asTenantId(tenantId), (tx) => findUploadEnd(tx, uploadId))
      .catch(() => null);
    if (end === null) return;
    const data = { upload_id: uploadId, state: end.state, received: end.chunkCount };
    events.publish([{ stream: 'edge', tenantId, id: end.deviceKey, event: 'upload', data }]);
  };
