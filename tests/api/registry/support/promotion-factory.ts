import { randomUUID } from 'node:crypto';
import type { ResourceFactory } from '../../support/resource-factory.js';
import { MODEL_FACTORY } from './model-factory.js';

/** A promotion that waits for an approval, as a row: asking for one takes a worker that checks it. */
export const PROMOTION_FACTORY: ResourceFactory = {
  prefix: '/api/v1/promotions/',
  async create(context) {
    const { api, tenant, canary } = context;
    const { name = '' } = await MODEL_FACTORY.create({ ...context, canary: `${canary}-promoted` });
    const id = randomUUID();
    await api.container.db.inPlatform((tx) =>
      tx.execute(
        `insert into promotion (id, tenant_id, model_id, version, reason, status, requires_approval, expires_at)
         select $1, $2, id, 1, $3, 'WAITING_APPROVAL', true, now() + interval '7 days' from model
         where tenant_id = $2 and name = $4`,
        [id, tenant.id, canary, name],
      ),
    );
    return { promotion_id: id };
  },
  random: () => ({ promotion_id: randomUUID() }),
};
