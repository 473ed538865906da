import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId } from '../../../../core/security/ids.js';
import { SYSTEM_ACTOR } from '../../../../models/audit/audit.types.js';
import type { TenantTransaction } from '../../../../models/orm/transaction.js';
import { createModel } from '../../../../models/registry/labels/describe-model.commands.js';
import { createExperiment } from '../../../../models/tracker/experiments/experiment.commands.js';
import { until } from '../../serving/digit-model.js';
import { type Answer, startTestApi, type TestApi, type TestTenant } from '../../support/test-api.js';
import { MlflowClient, refusal } from './mlflow-client.js';

describe('a name that somebody else takes at the same moment', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let client: MlflowClient;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    client = await MlflowClient.of(api, tenant);
  });
  afterAll(() => api.close());

  /** The answer to a rename which waits for somebody who makes a thing of the new name. */
  const renameWhile = async (
    make: (tx: TenantTransaction) => Promise<unknown>,
    rename: () => Promise<Answer>,
  ): Promise<Answer> => {
    let answer: Promise<Answer> | undefined;
    await api.container.db.inTenant(asTenantId(tenant.id), async (tx) => {
      await make(tx);
      answer = rename();
      await until('the rename waits', async () => {
        // In a transaction of its own: one transaction sees who waits as it was when it asked first.
        const [waiting] = await api.container.db.inTenant(asTenantId(tenant.id), (other) =>
          other.query<{ n: number }>(
            `select count(*)::int as n from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock'`,
          ),
        );
        return waiting?.n === 1;
      });
    });
    return answer as Promise<Answer>;
  };
  const taken = refusal(400, 'RESOURCE_ALREADY_EXISTS');

  it('is refused to a model that is being renamed', async () => {
    await client.post('registered-models/create', { name: 'before' });
    const answer = await renameWhile(
      (tx) => createModel(tx, SYSTEM_ACTOR, 'wanted', null, []),
      () => client.post('registered-models/rename', { name: 'before', new_name: 'wanted' }),
    );
    expect(answer).toMatchObject(taken);
    expect(
      await client.post('registered-models/rename', { name: 'before', new_name: 'wanted' }),
    ).toMatchObject(taken);
  });

  it('is refused to an experiment that is being renamed', async () => {
    const experiment_id = await client.experiment('before');
    const rename = () => client.post('experiments/update', { experiment_id, new_name: 'wanted' });
    const answer = await renameWhile(
      (tx) => createExperiment(tx, SYSTEM_ACTOR, { project: 'default', name: 'wanted' }, []),
      rename,
    );
    expect(answer).toMatchObject(taken);
    expect(await rename()).toMatchObject(taken);
  });
});
