import { randomUUID } from 'node:crypto';
import type { ResourceFactory } from '../../support/resource-factory.js';

/** A source that nobody answers for, for the isolation suite. */
export const SOURCE_FACTORY: ResourceFactory = {
  prefix: '/api/v1/external-sources/',
  async create({ api, tenant, user, canary }) {
    const json = {
      name: `${canary} archive`,
      base_url: `http://127.0.0.1:9/${canary}`,
      token: canary,
      description: canary,
    };
    const made = await api.call('POST', '/api/v1/external-sources', {
      token: user.token,
      tenant: tenant.code,
      json,
    });
    return { source_id: made.body.id as string, remote_dataset_id: 'scans' };
  },
  random: () => ({ source_id: `s-${randomUUID()}`, remote_dataset_id: 'scans' }),
};
