import { randomUUID } from 'node:crypto';
import { newEndpointCredential } from '../../../models/serving/endpoint-credential.js';
import type { ResourceFactory } from '../support/resource-factory.js';

/** A serving endpoint over an image that is not built yet, as rows: no workload runs for it. */
export const ENDPOINT_FACTORY: ResourceFactory = {
  prefix: '/api/v1/serving/endpoints/',
  async create({ api, tenant, canary }) {
    const [name, id] = [`${canary}-ep`, randomUUID()];
    return api.container.db.inPlatform(async (tx) => {
      const [image] = await tx.query<{ id: string }>(
        "insert into image (tenant_id, kind, repository) values ($1, 'import', $2) returning id",
        [tenant.id, canary],
      );
      await tx.execute(
        'insert into serving_endpoint (tenant_id, name, image_id, replicas, workload_id, status_message, id, sealed_credential) values ($1, $2, $3, 1, $4, $5, $6, $7)',
        [
          tenant.id,
          name,
          image?.id,
          `ep-${randomUUID()}`,
          canary,
          id,
          newEndpointCredential(api.container.settings.SERVICE_SECRET_KEYS, tenant.id, id),
        ],
      );
      return { name, path: 'ping', image_id: image?.id as string };
    });
  },
  random: () => ({ name: `n${randomUUID().slice(0, 18)}`, path: 'ping', image_id: randomUUID() }),
};
