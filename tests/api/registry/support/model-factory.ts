import { randomUUID } from 'node:crypto';
import type { ResourceFactory } from '../../support/resource-factory.js';

/** A model with one version and its image, as rows: registering one takes a run with artifacts, building the other a worker. */
export const MODEL_FACTORY: ResourceFactory = {
  prefix: '/api/v1/models/',
  async create({ api, tenant, canary }) {
    const name = `${canary}-model`;
    await api.container.db.inPlatform(async (tx) => {
      const [model] = await tx.query<{ id: string }>('insert into model (tenant_id, name, last_version) values ($1, $2, 1) returning id', [tenant.id, name]);
      const [version] = await tx.query<{ id: string }>(
        'insert into model_version (tenant_id, model_id, version, run_id, size_bytes, description) values ($1, $2, 1, $3, 1, $4) returning id',
        [tenant.id, model?.id, randomUUID().replaceAll('-', ''), canary],
      );
      await tx.execute("insert into image (tenant_id, kind, model_version_id, repository) values ($1, 'model', $2, $3)", [tenant.id, version?.id, canary]);
    });
    return { name, version: '1' };
  },
  random: () => ({ name: `n${randomUUID()}`, version: '1' }),
};
