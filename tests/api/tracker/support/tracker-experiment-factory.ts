import type { ResourceFactory } from '../../support/resource-factory.js';

/** An experiment of the tracker without runs. */
export const TRACKER_EXPERIMENT_FACTORY: ResourceFactory = {
  prefix: '/api/v1/experiments/',
  async create({ api, tenant, user, canary }) {
    const { body } = await api.call('POST', '/api/v1/experiments', {
      token: user.token,
      tenant: tenant.code,
      json: { name: `${canary}-experiment`, project: canary },
    });
    return { experiment_id: body.id as string };
  },
  random: () => ({ experiment_id: String(10 ** 12 + Math.floor(Math.random() * 10 ** 12)) }),
};
