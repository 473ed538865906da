import { randomUUID } from 'node:crypto';
import type { ResourceFactory } from '../../support/resource-factory.js';

/** An entry of the user's own feed, as a row: entries are made by a worker. */
export const NOTIFICATION_FACTORY: ResourceFactory = {
  prefix: '/api/v1/notifications/',
  async create({ api, tenant, user, canary }) {
    const [row] = await api.container.db.inPlatform((tx) =>
      tx.query<{ id: string }>(
        `insert into notification (tenant_id, user_id, kind, subject, is_personal, title, body, in_app, awaits_mail, created_at, updated_at)
         values ($1, $2, 'alert_fired', '', false, $3, $3, true, false, now(), now()) returning id`,
        [tenant.id, user.id, `${canary} fired`],
      ),
    );
    return { notification_id: row?.id ?? '' };
  },
  random: () => ({ notification_id: randomUUID() }),
};
