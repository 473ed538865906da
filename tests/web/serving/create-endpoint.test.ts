import { afterEach, expect, it, jest } from '@jest/globals';
import type { Tenant } from '../../../web/src/app/session.js';
import { createEndpoint } from '../../../web/src/serving/fresh/create-endpoint.js';

type Answer = readonly [status: number, body: unknown];

const TAKEN: Answer = [409, { code: 'conflict', message: 'The name is taken.', detail: null }];
const AWAY: Answer = [502, { code: 'http_502', message: 'Bad gateway.', detail: null }];
const FIELDS = { name: 'camera', replicas: 1, gpu: 0 };

/** A tenant whose platform has the image `i1` and answers creations in turn. @param there image of the endpoint of that name */
function tenantOf(creations: readonly Answer[], there: string): Tenant {
  const answers = [...creations];
  const answer = ([status, given]: Answer) => ({
    response: new Response(null, { status }),
    ...(status < 300 ? { data: given } : { error: given }),
  });
  return {
    api: {
      POST: async (path: string) => {
        if (path.endsWith('/image')) return answer([200, { id: 'i1', status: 'READY' }]);
        return answer(answers.shift() ?? TAKEN);
      },
      GET: async () => answer([200, { name: 'camera', image_id: there }]),
    },
  } as unknown as Tenant;
}

const create = (tenant: Tenant) =>
  createEndpoint(tenant, { kind: 'version', name: 'digits', version: 1 }, FIELDS, () => {});

afterEach(() => void jest.useRealTimers());

it('is made by a call whose answer was lost', async () => {
  jest.useFakeTimers({ advanceTimers: 100 });
  expect(await create(tenantOf([AWAY, TAKEN], 'i1'))).toEqual({ name: 'camera', image_id: 'i1' });
});

it('is refused where another endpoint has the name', async () => {
  jest.useFakeTimers({ advanceTimers: 100 });
  await expect(create(tenantOf([AWAY, TAKEN], 'i2'))).rejects.toMatchObject({ status: 409 });
  await expect(create(tenantOf([TAKEN], 'i1'))).rejects.toMatchObject({ status: 409 });
});
