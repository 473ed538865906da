import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PlatformTransaction } from '../../../models/orm/transaction.js';
import {
  advanceStep,
  beginDeletion,
  beginStep,
  completeDeletion,
  failDeletion,
  finishStep,
} from '../../../models/tenants/deletion-progress.platform.js';
import { startTestApi, type TestApi } from '../support/test-api.js';

const DELETIONS = '/api/v1/settings/tenants/deletions';
const OVER = 'Another attempt of the deletion has taken over.';

/** No worker runs: the attempts take their turns here. */
describe('attempts of a deletion', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  const inPlatform = <T>(work: (tx: PlatformTransaction) => Promise<T>) => api.container.db.inPlatform(work);
  const call = (method: string, path: string, json?: unknown) =>
    api.call(method, path, { token: api.admin.token, ...(json === undefined ? {} : { json }) });
  const read = async (id: string) => (await call('GET', `${DELETIONS}/${id}`)).body;
  const stepOf = (deletion: { steps: Array<{ key: string }> }, key: string) =>
    deletion.steps.find((step) => step.key === key);

  /** A deletion whose first attempt failed in its first step and whose second is at it. */
  async function retried(): Promise<{
    id: string;
    older: { deletionId: string; attempt: number };
    current: { deletionId: string; attempt: number };
  }> {
    const tenant = await api.addTenant();
    const { id } = (
      await call('POST', `/api/v1/settings/tenants/${tenant.id}/deletion`, { confirm_code: tenant.code })
    ).body;
    const [older, current] = [1, 2].map((attempt) => ({ deletionId: id as string, attempt })) as [
      { deletionId: string; attempt: number },
      { deletionId: string; attempt: number },
    ];
    expect(await inPlatform((tx) => beginDeletion(tx, older))).toHaveLength(10);
    expect(await inPlatform((tx) => beginStep(tx, older, 'stop'))).toEqual({ counts: {}, checkpoint: null });
    expect(await inPlatform((tx) => failDeletion(tx, older, 'the store was away'))).toEqual(['stop']);
    expect((await call('POST', `${DELETIONS}/${id}/retry`)).body).toMatchObject({
      status: 'running',
      attempt: 2,
    });
    return { id, older, current };
  }

  it('change nothing any more once a retry has begun, whatever they were about to do', async () => {
    const { id, older, current } = await retried();
    expect(await inPlatform((tx) => beginDeletion(tx, older))).toBeNull();
    await expect(inPlatform((tx) => beginStep(tx, older, 'stop'))).rejects.toThrow(OVER);
    expect(stepOf(await read(id), 'stop')).toMatchObject({ status: 'pending', runs: 1 });

    expect(await inPlatform((tx) => beginDeletion(tx, current))).toHaveLength(10);
    expect(await inPlatform((tx) => beginStep(tx, current, 'stop'))).toEqual({
      counts: {},
      checkpoint: null,
    });
    await expect(inPlatform((tx) => beginStep(tx, older, 'stop'))).rejects.toThrow(OVER);
    await expect(
      inPlatform((tx) =>
        advanceStep(tx, older, 'stop', () => ({ counts: { workflows: 7 }, checkpoint: { counted: true } })),
      ),
    ).rejects.toThrow(OVER);
    expect(await inPlatform((tx) => finishStep(tx, older, 'stop'))).toBeNull();
    expect(await inPlatform((tx) => failDeletion(tx, older, 'too late'))).toBeNull();
    expect(await inPlatform((tx) => completeDeletion(tx, older, async () => ({ forged: true })))).toBeNull();
    const deletion = await read(id);
    expect(deletion).toMatchObject({ status: 'running', status_message: '', attempt: 2, certificate: null });
    expect(stepOf(deletion, 'stop')).toMatchObject({ status: 'running', message: '', counts: {}, runs: 2 });

    await inPlatform((tx) => advanceStep(tx, current, 'stop', () => ({ counts: { workflows: 3 } })));
    expect(await inPlatform((tx) => finishStep(tx, current, 'stop'))).toBe('Stopped 3 workflows.');
    expect(await inPlatform((tx) => failDeletion(tx, current, 'once more'))).toEqual([]);
  });

  it('are begun again only after the one before has failed', async () => {
    const { id, current } = await retried();
    expect(await call('POST', `${DELETIONS}/${id}/retry`)).toMatchObject({
      status: 409,
      body: { detail: { status: 'running' } },
    });
    await inPlatform((tx) => failDeletion(tx, current, 'again'));
    expect((await call('POST', `${DELETIONS}/${id}/retry`)).body).toMatchObject({
      status: 'running',
      attempt: 3,
    });
  });
});
