import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { requireMigration } from '../../../models/migrations/required-migration.js';
import { BASELINE } from '../../../models/migrations/baseline.js';
import { startTestApi, type TestApi } from '../support/test-api.js';

describe('the probes on the public port', () => {
  let api: TestApi;
  let owner: pg.Client;
  beforeAll(async () => {
    api = await startTestApi();
    owner = new pg.Client({ connectionString: api.database.ownerUrl });
    await owner.connect();
  });
  afterAll(async () => {
    await owner.end();
    await api.close();
  });

  /** As a load balancer asks: by an address, without credentials. */
  const ask = (path: string, host: string, method = 'GET') =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      request(`${api.base}${path}`, { method, headers: { host } }, async (answer) => {
        const parts: Buffer[] = [];
        for await (const part of answer) parts.push(part as Buffer);
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() });
      })
        .on('error', reject)
        .end();
    });
  /** Until what strangers are shown is looked at anew. */
  const later = () => new Promise((done) => setTimeout(done, 1100));
  const problem = () => api.container.schema.check().catch((error: Error) => error.message);

  it('answer anybody, also under a host name that is not ours, and tell nothing else', async () => {
    for (const host of ['10.1.2.3:8080', 'balancer.internal', '']) {
      expect(await ask('/livez', host)).toEqual({ status: 200, text: '{"status":"ok"}' });
      expect(await ask('/readyz', host)).toEqual({ status: 200, text: '{"ready":true}' });
    }
    expect((await api.call('GET', '/readyz')).headers.get('cache-control')).toBe('no-store');
  });

  it('open no other path under such a name, and take nothing but questions', async () => {
    for (const path of ['/', '/openapi.json', '/readyz/', '/livez/x', '//livez', '/users/me'])
      expect([path, (await ask(path, '10.1.2.3')).status]).toEqual([path, 400]);
    for (const method of ['POST', 'DELETE'])
      expect((await ask('/readyz', '10.1.2.3', method)).status).toBe(405);
  });

  it('say no while the schema is older, and nothing else is served then', async () => {
    const { rows } = await owner.query(
      'delete from mikro_orm_migrations where id = (select max(id) from mikro_orm_migrations) returning id, name',
    );
    expect(await problem()).toContain(`older than this program: the migration ${rows[0].name} is missing`);
    await later();
    expect(await ask('/readyz', '')).toEqual({ status: 503, text: '{"ready":false}' });
    expect((await ask('/livez', '')).status).toBe(200);
    const refused = await api.call('GET', '/users/me', { token: api.admin.token });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(refused.text).not.toContain(rows[0].name);
    await owner.query('insert into mikro_orm_migrations (id, name) values ($1, $2)', [
      rows[0].id,
      rows[0].name,
    ]);
    expect(await problem()).toBeUndefined();
    expect((await api.call('GET', '/users/me', { token: api.admin.token })).status).toBe(200);
  });

  it('say no as soon as the schema asks for a newer program, not while it only has more', async () => {
    await owner.query("insert into mikro_orm_migrations (name) values ('29990101T0000-more')");
    expect(await problem()).toBeUndefined();
    await owner.query(requireMigration('29990101T0000-more'));
    expect(await problem()).toContain(
      'newer than this program, which does not know the migration 29990101T0000-more',
    );
    await later();
    expect((await ask('/readyz', '')).status).toBe(503);
    await owner.query(requireMigration(BASELINE));
    expect(await problem()).toBeUndefined();
  });

  it('say no of a database from before schemas could be distinguished', async () => {
    await owner.query('revoke select on mikro_orm_migrations from visionops_platform');
    expect(await problem()).toContain('older than this program');
    await owner.query('grant select on mikro_orm_migrations to visionops_platform');
    expect(await problem()).toBeUndefined();
  });
});
