import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { beatHost, listHosts } from '../../../models/workloads/host.platform.js';
import { giveUpHost, removeHost } from '../../../models/workloads/hosted.platform.js';
import { ABLE, aHost } from '../../builders/a-host.js';
import { startTestApi, type TestApi } from '../support/test-api.js';

describe('a host that is given up', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api?.close());

  it("is an entry of the platform's audit trail when it is taken for lost, and when it is forgotten", async () => {
    const { db } = api.container;
    const host = aHost();
    await beatHost(db, host, ABLE);
    const known = (await listHosts(db)).find(({ id }) => id === host.id) as NonNullable<
      Awaited<ReturnType<typeof listHosts>>[number]
    >;
    expect(await removeHost(db, host.id)).toBe(false);
    expect(await giveUpHost(db, known, known.seenAt)).toBe(true);
    expect(await giveUpHost(db, known, known.seenAt)).toBe(false);
    expect(await removeHost(db, host.id)).toBe(true);
    expect(await removeHost(db, host.id)).toBe(false);
    const entries = await db.inPlatform((tx) =>
      tx.query(
        `select action, tenant_id, target_kind, target_id, target_label from audit_entry
         where action like 'host.%' order by id`,
      ),
    );
    const of = { tenant_id: null, target_kind: 'host', target_id: host.id, target_label: host.name };
    expect(entries).toEqual([
      { action: 'host.lost', ...of },
      { action: 'host.forget', ...of },
    ]);
  });
});
