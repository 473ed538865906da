import { randomUUID } from 'node:crypto';
import type { ResourceFactory } from '../../support/resource-factory.js';
import { SyncKit } from './sync-kit.js';

/** A linked dataset with a queued sync, for the isolation suite. */
export const SYNC_FACTORY: ResourceFactory = {
  prefix: '/api/v1/datasets/{dataset_id}/syncs',
  async create({ api, tenant, user, canary }) {
    const kit = new SyncKit(api, tenant, user.token);
    const dataset_id = await kit.linked({ baseUrl: 'https://source.example.org/api' }, `${canary} remote`);
    const started = await kit.start(dataset_id);
    if (started.status !== 202) throw new Error(started.text);
    const link = await kit.call('GET', `/${dataset_id}/source`);
    return { dataset_id, sync_id: started.body.id as string, source_id: link.body.source_id as string };
  },
  random: () => ({ dataset_id: `d-${randomUUID()}`, sync_id: randomUUID(), source_id: `s-${randomUUID()}` }),
};
