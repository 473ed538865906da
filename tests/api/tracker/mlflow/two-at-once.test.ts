import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId, type TenantId } from '../../../../core/security/ids.js';
import { SYSTEM_ACTOR } from '../../../../models/audit/audit.types.js';
import type { TenantTransaction } from '../../../../models/orm/transaction.js';
import { createModel } from '../../../../models/registry/labels/describe-model.commands.js';
import { deleteAlias } from '../../../../models/registry/labels/labels.commands.js';
import { createClientRun, setRunLifecycle } from '../../../../models/tracker/runs/client-run.commands.js';
import { createPreset, deletePreset } from '../../../../models/training/presets/preset.commands.js';
import { until } from '../../serving/digit-model.js';
import { startTestApi, type TestApi } from '../../support/test-api.js';

/** Makes something of this name. @returns the change that only one may make, and its action in the audit trail */
type Case = (tx: TenantTransaction, name: string) => Promise<[change: Change, action: string]>;
type Change = (tx: TenantTransaction) => Promise<unknown>;

const CASES: Readonly<Record<string, Case>> = {
  'deletes a run': async (tx, name) => {
    const wanted = { experimentId: null, name, startedAt: new Date(), tags: [] };
    const id = await createClientRun(tx, SYSTEM_ACTOR, wanted);
    return [(other) => setRunLifecycle(other, SYSTEM_ACTOR, id, 'deleted'), 'run.delete'];
  },
  'deletes a preset': async (tx, name) => {
    const config = { task: 'classification', framework: 'sklearn', model: 'knn' } as const;
    const { id } = await createPreset(tx, SYSTEM_ACTOR, { name, description: '', config });
    return [(other) => deletePreset(other, SYSTEM_ACTOR, id), 'preset.delete'];
  },
  'takes an alias away': async (tx, name) => {
    const model = await createModel(tx, SYSTEM_ACTOR, name, null, []);
    await tx.query(
      `with v as (insert into model_version (tenant_id, model_id, version, run_id, size_bytes)
         values ($1, $2, 1, '', 0) returning model_id, version)
       insert into model_alias (tenant_id, model_id, alias, version) select $1, model_id, 'best', version from v`,
      [tx.tenantId, model],
    );
    return [(other) => deleteAlias(other, SYSTEM_ACTOR, name, 'best'), 'model.alias_delete'];
  },
};

describe('when somebody else does the same at the same moment', () => {
  let api: TestApi;
  let tenant: TenantId;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = asTenantId((await api.addTenant()).id);
  });
  afterAll(() => api.close());

  const within = <T>(work: (tx: TenantTransaction) => Promise<T>): Promise<T> =>
    api.container.db.inTenant(tenant, work);
  // As the role of those who wait, whom others do not see waiting.
  const waiting = () =>
    within((tx) =>
      tx.query(`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`),
    );
  const entriesOf = (action: string) =>
    api.container.db.inPlatform((tx) =>
      tx.query('select 1 from audit_entry where tenant_id = $1 and action = $2', [tenant, action]),
    );

  it.each(Object.entries(CASES))('whoever comes second and %s changes nothing', async (name, make) => {
    const [change, action] = await within((tx) => make(tx, name));
    let second: Promise<unknown> | undefined;
    await within(async (tx) => {
      await change(tx);
      second = within(change).catch(() => undefined);
      await until('the second one waits', async () => (await waiting()).length === 1);
    });
    await second;
    expect(await entriesOf(action)).toHaveLength(1);
  });
});
