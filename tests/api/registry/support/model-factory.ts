import { randomUUID } from 'node:crypto';
import type { ResourceFactory } from '../../support/resource-factory.js';

/** A model with one version, as rows: registering one takes a run with artifacts. */
export const MODEL_FACTORY: ResourceFactory = {
  prefix: '/api/v1/models/',
  async create({ api, tenant, canary }) {
    const name = `${canary}-model`;
    await api.container.db.inPlatform(async (tx) => {
      const [model] = await tx.query<{ id: string }>(
        'insert into model (tenant_id, name, last_version) values ($1, $2, 1) returning id',
        [tenant.id, name],
      );
      await tx.execute(
        'insert into model_version (tenant_id, model_id, version, run_id, size_bytes, description) values ($1, $2, 1, $3, 1, $4)',
        [tenant.id, model?.id, randomUUID().replaceAll('-', ''), canary],
      );
    });
    return { name, version: '1' };
  },
  random: () => ({ name: `n${randomUUID()}`, version: '1' }),
};
