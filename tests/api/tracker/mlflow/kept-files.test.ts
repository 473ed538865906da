import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId } from '../../../../core/security/ids.js';
import { SYSTEM_ACTOR } from '../../../../models/audit/audit.types.js';
import type { TenantTransaction } from '../../../../models/orm/transaction.js';
import { deleteVersion } from '../../../../models/registry/delete-model.commands.js';
import { registerSource } from '../../../../models/tracker/register/register-source.commands.js';
import { removeArtifacts } from '../../../../models/tracker/register/remove-artifacts.commands.js';
import { startTestApi, type TestApi, type TestTenant } from '../../support/test-api.js';
import { until } from '../../serving/digit-model.js';
import { MlflowClient } from './mlflow-client.js';

/** Files that clients remove or replace while versions are made of them. */
describe('files of registered versions', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let client: MlflowClient;
  let experiment: string;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    client = await MlflowClient.of(api, tenant);
    experiment = await client.experiment('kept');
    await client.post('registered-models/create', { name: 'kept' });
    await client.post('registered-models/create', { name: 'other' });
  });
  afterAll(() => api.close());

  const within = <T>(work: (tx: TenantTransaction) => Promise<T>): Promise<T> =>
    api.container.db.inTenant(asTenantId(tenant.id), work);
  const rows = <T extends object>(sql: string, values: readonly unknown[] = []): Promise<T[]> =>
    within((tx) => tx.query<T>(sql, values));
  const loggedModel = async (experiment_id: string): Promise<string> => {
    const { body } = await client.post('logged-models', { experiment_id, name: 'm' });
    const id = body.model.info.model_id as string;
    await client.artifact('PUT', `artifacts/models/${id}/artifacts/MLmodel`, id);
    return id;
  };
  const textOf = async (version: string): Promise<string> => {
    const query = { name: 'kept', version };
    const { body } = await client.get('model-versions/get-download-uri', query);
    const root = (body.artifact_uri as string).replace('mlflow-artifacts:/', '');
    return (await client.artifact('GET', `artifacts/${root}/MLmodel`)).text;
  };

  it('are never given up, whatever happens to them meanwhile', async () => {
    const made: Array<[version: string, contents: readonly string[]]> = [];
    for (let round = 0; round < 12; round += 1) {
      const runId = await client.run(experiment);
      const [first, second] = [`first ${round}`, `second ${round}`];
      await client.put(runId, 'model/MLmodel', first);
      const source = `runs:/${runId}/model`;
      const [version] = await Promise.all([
        client.post('model-versions/create', { name: 'kept', source }),
        round % 2 === 0
          ? client.put(runId, 'model/MLmodel', second)
          : client.artifact('DELETE', `artifacts/${runId}/artifacts/model`),
      ]);
      // Who removed the files first leaves nothing to be registered.
      expect([200, 400]).toContain(version.status);
      if (version.status === 200) made.push([version.body.model_version.version, [first, second]]);
    }
    expect(made.length).toBeGreaterThan(0);
    for (const [version, contents] of made) expect(contents).toContain(await textOf(version));
    const lost = await rows(
      'select 1 from model_version_file f join orphaned_object o on o.object_key = f.object_key',
    );
    expect(lost).toEqual([]);
  });

  /** A run with a file, a version that is made of it, and the key of the object that both have. */
  async function shared(): Promise<{ runId: string; version: number; key: string }> {
    const runId = await client.run(experiment);
    await client.put(runId, 'model/MLmodel', runId);
    const { body } = await client.post('model-versions/create', {
      ...{ name: 'kept', source: `runs:/${runId}/model` },
    });
    const [file] = await rows<{ key: string }>(
      'select object_key as key from run_artifact a join tracker_run r on r.id = a.run where r.run_id = $1',
      [runId],
    );
    return { runId, version: Number(body.model_version.version), key: (file as { key: string }).key };
  }
  const removeVersion = (version: number) => (tx: TenantTransaction) =>
    deleteVersion(tx, SYSTEM_ACTOR, 'kept', version, () => Promise.resolve(new Map()));
  const removeFile = (runId: string) => async (tx: TenantTransaction) => {
    const [run] = await tx.query<{ id: number }>('select id::int from tracker_run where run_id = $1', [
      runId,
    ]);
    await removeArtifacts(tx, 'run', (run as { id: number }).id, 'model');
  };
  /** Does the second thing after the first and before that is committed, where it is not made to wait. */
  async function meanwhile(
    first: (tx: TenantTransaction) => Promise<unknown>,
    second: () => Promise<unknown>,
  ): Promise<void> {
    let isDone = false;
    let other: Promise<unknown> | undefined;
    await within(async (tx) => {
      await first(tx);
      other = second().then(() => {
        isDone = true;
      });
      await until('the second one waits or is done', async () => {
        const waiting = `select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`;
        return isDone || (await rows(waiting)).length > 0;
      });
    });
    await other;
  }
  const freed = async (key: string): Promise<boolean> =>
    (await rows('select 1 from orphaned_object where object_key = $1', [key])).length > 0;

  it('stay when the version that another is being made of is deleted', async () => {
    const { version, key } = await shared();
    const source = `models:/kept/${version}`;
    const copy = {
      modelName: 'kept',
      source,
      runId: null,
      description: null,
      tags: [],
      classesOf: async () => null,
    };
    let made = 0;
    await meanwhile(
      async (tx) => {
        made = await registerSource(tx, SYSTEM_ACTOR, copy);
      },
      () => within(removeVersion(version)),
    );
    expect(made).toBeGreaterThan(version);
    expect(await freed(key)).toBe(false);
  });

  it('go when those that have them go at the same moment', async () => {
    const removed = await shared();
    await meanwhile(removeFile(removed.runId), () => within(removeVersion(removed.version)));
    expect(await freed(removed.key)).toBe(true);
    const replaced = await shared();
    await meanwhile(removeVersion(replaced.version), () =>
      client.put(replaced.runId, 'model/MLmodel', 'other'),
    );
    expect(await freed(replaced.key)).toBe(true);
    // Neither has a run or a logged model any more.
    const { runId, version, key } = await shared();
    const copy = await client.post('model-versions/create', {
      ...{ name: 'other', source: `models:/kept/${version}` },
    });
    expect(copy.status).toBe(200);
    await within(removeFile(runId));
    expect(await freed(key)).toBe(false);
    await meanwhile(removeVersion(version), () =>
      client.send('DELETE', 'model-versions/delete', { name: 'other', version: '1' }),
    );
    expect(await freed(key)).toBe(true);
  });

  it('stay when their experiment is removed with its logged models, whose other files go', async () => {
    const passing = await client.experiment('passing');
    const [kept, gone] = [await loggedModel(passing), await loggedModel(passing)];
    const made = await client.post('model-versions/create', { name: 'kept', source: `models:/${kept}` });
    const keysOf = async (id: string) =>
      (
        await rows<{ key: string }>(
          'select a.object_key as key from logged_model_artifact a join logged_model l on l.id = a.model where l.model_id = $1',
          [id],
        )
      ).map(({ key }) => key);
    const [keptKeys, goneKeys] = [await keysOf(kept), await keysOf(gone)];
    const removed = await api.call('DELETE', `/api/v1/experiments/${passing}`, {
      ...{ token: api.admin.token, tenant: tenant.code },
    });
    expect(removed.status).toBe(204);
    expect((await client.get(`logged-models/${gone}`)).status).toBe(404);
    expect(await textOf(made.body.model_version.version)).toBe(kept);
    const orphans = await rows<{ key: string }>(
      'select object_key as key from orphaned_object where object_key = any($1)',
      [[...keptKeys, ...goneKeys]],
    );
    expect(orphans.map(({ key }) => key)).toEqual(goneKeys);
  });
});
