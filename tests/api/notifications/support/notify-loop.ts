import { createNotificationFanOut } from '../../../../activities/notifications/notification-fan-out.js';
import { systemClock } from '../../../../core/ports/clock.js';
import { asTenantId } from '../../../../core/security/ids.js';
import type { NewNotification } from '../../../../models/notifications/notification.types.js';
import { notify } from '../../../../models/notifications/notify.commands.js';
import type { TestApi, TestTenant, TestUser } from '../../support/test-api.js';

/** The loop of a worker that notifies people, beside an API. @returns how to end it */
export function startTelling(api: TestApi, pace = { settleS: 3600, windowS: 3600 }): () => Promise<void> {
  const { db: database, listener, events } = api.container;
  const stopping = new AbortController();
  const running = createNotificationFanOut({ database, listener, events, clock: systemClock }, pace).run(
    stopping.signal,
  );
  return async () => {
    stopping.abort();
    await running;
  };
}

export const tell = (api: TestApi, tenant: TestTenant, notification: NewNotification): Promise<void> =>
  api.container.db.inTenant(asTenantId(tenant.id), (tx) => notify(tx, tenant.id, notification));

/** Waits until every request was turned into entries. */
export async function allTold(api: TestApi): Promise<void> {
  await until(
    async () =>
      (await api.container.db.inPlatform((tx) => tx.query('select 1 from notification_request limit 1')))
        .length === 0,
    'requests are left',
  );
}

export async function until(
  check: () => Promise<boolean> | boolean,
  what: string,
  timeoutMs = 15_000,
): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`did not happen in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

export interface Entry {
  readonly id: string;
  readonly tenant_code: string | null;
  readonly kind: string;
  readonly title: string;
  readonly body: string;
  readonly count: number;
  readonly read: boolean;
}

export async function feed(api: TestApi, user: TestUser, tenant: TestTenant, query = ''): Promise<Entry[]> {
  const answer = await api.call('GET', `/api/v1/notifications${query}`, {
    token: user.token,
    tenant: tenant.code,
  });
  if (answer.status !== 200) throw new Error(`feed: ${answer.text}`);
  return answer.body.items as Entry[];
}

export const unread = async (api: TestApi, user: TestUser) =>
  (await api.call('GET', '/api/v1/notifications/unread-count', { token: user.token })).body as {
    total: number;
    tenants: Array<{ tenant_code: string | null; unread: number }>;
  };
