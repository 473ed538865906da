import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { PlatformClient } from '../../setup/platform-client.js';
import { callOfDevice } from './device-calls.js';
import type { Fleet } from './fleet.js';
import { expectRefusedSoon } from './refused-soon.js';

const PASSWORD = 'a long enough 1 phrase';

interface Stage {
  readonly fleet: Fleet;
  /** An administrator, in a tenant. */
  readonly client: PlatformClient;
}

/** Access that one API ends while the other is called with it. */
interface Access {
  /** A call at the other API. @returns its status */
  readonly ask: () => Promise<number>;
  readonly end: () => Promise<unknown>;
  /** That of a call once the access has ended. */
  readonly refusal: number;
}

/** Tests of access of every kind that is taken at one API, and ends at the other. */
export function revokedAccess(stage: () => Stage): void {
  const at = (machine: 'a' | 'b', token = stage().client.token) =>
    new PlatformClient(stage().fleet.apis[machine], token, stage().client.tenant);
  const member = async () => {
    const { client, fleet } = stage();
    const email = `${randomUUID()}@example.com`;
    const { body } = await client.expect(200, 'POST', '/api/v1/system/users/create', {
      json: { email, password: PASSWORD, tenant_code: client.tenant, role: 'VIEWER' },
    });
    const person = await PlatformClient.signIn(fleet.apis.b, email, PASSWORD, client.tenant);
    return { person, path: `/api/v1/system/users/${body.id}` };
  };

  const kinds: Record<string, () => Promise<Access>> = {
    'a personal token that is revoked': async () => {
      const json = { kind: 'tracker', tenant_code: stage().client.tenant, name: 'laptop' };
      const { body } = await at('a').expect(201, 'POST', '/users/me/tokens', { json });
      const tracker = new PlatformClient(stage().fleet.apis.b, body.token);
      const search = () =>
        tracker.call('POST', '/tracker/api/2.0/mlflow/experiments/search', { json: { max_results: 1 } });
      return {
        ask: async () => (await search()).status,
        end: () => at('a').expect(204, 'DELETE', `/users/me/tokens/${body.id}`),
        refusal: 401,
      };
    },
    "a device's token that is revoked": async () => {
      const json = { id: 'revoked' };
      const { body } = await at('a').expect(201, 'POST', '/api/v1/edge/devices', { json });
      const config = () => callOfDevice(stage().fleet.apis.b, body.token, 'GET', '/config');
      return {
        ask: async () => (await config()).status,
        end: () => at('a').expect(200, 'POST', '/api/v1/edge/devices/revoked/token:revoke'),
        refusal: 401,
      };
    },
    'an account that is disabled': async () => {
      const { person, path } = await member();
      return {
        ask: async () => (await person.call('GET', '/users/me')).status,
        end: () => at('a').expect(200, 'POST', `${path}/disable`),
        refusal: 401,
      };
    },
    'a member who is removed from the tenant': async () => {
      const { person, path } = await member();
      return {
        ask: async () => (await person.call('GET', '/api/v1/datasets')).status,
        end: () => at('a').expect(200, 'DELETE', `${path}/role?tenant=${stage().client.tenant}`),
        refusal: 404,
      };
    },
  };

  it.each(Object.keys(kinds))('refuse %s on every API within a second', async (kind) => {
    const { ask, end, refusal } = await (kinds[kind] as () => Promise<Access>)();
    // The other API knows it by now without asking the database.
    expect([await ask(), await ask()]).toEqual([200, 200]);
    await end();
    await expectRefusedSoon(ask, refusal);
  });
}
