import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createAttemptActivities } from '../../../activities/training/attempt.activities.js';
import { createPublishActivities } from '../../../activities/training/publish.activities.js';
import { freezeDataset } from '../../builders/frozen-dataset.js';
import { ENDPOINT_FACTORY } from '../serving/endpoint-factory.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';

describe('the endpoint of a trained model', () => {
  let api: TestApi;
  let tenant: TestTenant;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    const files = ['0', '1'].map((label) => ({ path: `${label}/a.png`, bytes: Buffer.from(label) }));
    await freezeDataset(api.container.db, api.container.objects, tenant.id, 'grey', files);
  });
  afterAll(() => api?.close());

  const call = (method: string, path: string, json?: unknown) =>
    api.call(method, `/api/v1${path}`, {
      ...{ token: api.admin.token, tenant: tenant.code },
      ...(json === undefined ? {} : { json }),
    });
  const config = (endpoint_name: string) => ({
    ...{ task: 'classification', framework: 'sklearn', model: 'knn', dataset_id: 'grey' },
    ...{ register_model: true, evaluation: { enabled: false } },
    serving: { build_image: true, create_endpoint: true, endpoint_name },
  });
  const sql = (text: string, params: readonly unknown[]) =>
    api.container.db.inPlatform((tx) => tx.execute(text, params));

  /** Over an image that is built. @returns its image */
  async function makeEndpoint(canary: string): Promise<string> {
    const made = await ENDPOINT_FACTORY.create({ api, tenant, user: api.admin, canary } as never);
    await sql(
      "update image set status = 'READY', manifest_digest = 'sha256:' || repeat('a', 64), runtime = 'sklearn' where id = $1",
      [made.image_id],
    );
    return made.image_id as string;
  }

  /** An attempt whose last step comes next. */
  async function published(endpoint: string) {
    const { body } = await call('POST', '/training/experiments', config(endpoint));
    await sql("update training_experiment set status = 'FINALIZING' where id = $1", [body.id]);
    await sql("update training_step set status = 'done' where experiment_id = $1 and key <> 'endpoint'", [
      body.id,
    ]);
    const { db: database, objects, events, states, settings } = api.container;
    const work = {
      ...createAttemptActivities({ database, objects, events, remote: {} as never, weights: {} as never }),
      ...createPublishActivities({
        ...{ database, events, states },
        job: { keys: settings.SERVICE_SECRET_KEYS },
      }),
    };
    const ref = { tenantId: tenant.id, experimentId: body.id as string, attempt: 1 };
    const serve = (imageId: string) =>
      new MockActivityEnvironment().run(work.createTrainedEndpoint, ref, imageId);
    const end = () => work.endAttempt(ref, { status: 'SUCCEEDED', message: '' });
    const read = async () => (await call('GET', `/training/experiments/${body.id}`)).body;
    return { serve, end, read };
  }
  const last = ({ steps }: { steps: Array<{ key: string; status: string; message: string }> }) =>
    steps.at(-1);

  it('is refused under a name that is taken before anything is trained, in this tenant alone', async () => {
    await makeEndpoint('shop');
    const wrong = [{ loc: ['body', 'serving', 'endpoint_name'], msg: expect.stringContaining('shop-ep') }];
    expect((await call('POST', '/training/experiments:validate', config('shop-ep'))).body).toMatchObject({
      ...{ valid: false, errors: wrong },
    });
    const refused = await call('POST', '/training/experiments', config('shop-ep'));
    expect([refused.status, refused.body.detail]).toMatchObject([422, wrong]);
    const other = await api.addTenant();
    await freezeDataset(api.container.db, api.container.objects, other.id, 'grey', [
      { path: '0/a.png', bytes: Buffer.from('0') },
      { path: '1/a.png', bytes: Buffer.from('1') },
    ]);
    const elsewhere = await api.call('POST', '/api/v1/training/experiments:validate', {
      ...{ token: api.admin.token, tenant: other.code, json: config('shop-ep') },
    });
    expect(elsewhere.body).toMatchObject({ valid: true });
  });

  it('does not make a training fail that succeeded, where its name was taken meanwhile', async () => {
    const { serve, end, read } = await published('late-ep');
    const imageId = await makeEndpoint('late');
    await serve(imageId);
    const said = 'There is an endpoint named late-ep already.';
    expect(last(await read())).toMatchObject({ key: 'endpoint', status: 'failed', message: said });
    await end();
    expect(await read()).toMatchObject({
      ...{ status: 'SUCCEEDED', status_message: `No endpoint was made: ${said}` },
    });
    await expect(serve(imageId)).rejects.toThrow('This attempt is over.');
  });

  it('is made where its name is free', async () => {
    const { serve, end, read } = await published('free-ep');
    await serve(await makeEndpoint('free-other'));
    expect(last(await read())).toMatchObject({ key: 'endpoint', status: 'done' });
    await end();
    expect(await read()).toMatchObject({ status: 'SUCCEEDED', status_message: '' });
    expect((await call('GET', '/serving/endpoints/free-ep')).status).toBe(200);
  });
});
