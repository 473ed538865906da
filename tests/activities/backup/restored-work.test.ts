import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RESTORED_WORK } from '../../../models/backup/restored-work.platform.js';
import { finishRestore, type SettledKind } from '../../../models/backup/restores.platform.js';
import { DATASET_FACTORY } from '../../api/datasets/support/dataset-factory.js';
import { DatasetKit } from '../../api/datasets/support/dataset-kit.js';
import { DEPLOYMENT_FACTORY } from '../../api/deployments/support/deployment-factory.js';
import { PROMOTION_FACTORY } from '../../api/registry/support/promotion-factory.js';
import { ENDPOINT_FACTORY } from '../../api/serving/endpoint-factory.js';
import { SYNC_FACTORY } from '../../api/sources/support/sync-factory.js';
import type { FactoryContext } from '../../api/support/resource-factory.js';
import { startTestApi, type TestApi } from '../../api/support/test-api.js';
import { EXPERIMENT_FACTORY } from '../../api/training/support/training-factories.js';

/** A row that was active when the backup was taken, and what people read of it afterwards. */
interface ActiveRow {
  readonly id: string;
  readonly table: string;
  /** The status of the row, as SQL of its table. */
  readonly status: string;
  readonly attempt?: string;
}

interface Ground {
  readonly context: FactoryContext;
  sql<R extends object>(text: string, ...params: readonly unknown[]): Promise<R[]>;
}

const idOf = async ({ sql }: Ground, text: string, ...params: readonly unknown[]): Promise<string> => {
  const [row] = await sql<{ id: string }>(text, ...params);
  return (row as { id: string }).id;
};

/** One active row of each kind, by the type of its workflow. */
const BUILDERS: Readonly<Record<string, (ground: Ground) => Promise<ActiveRow>>> = {
  async datasetUpload({ context }) {
    const { upload_id = '' } = await DATASET_FACTORY.create(context);
    return { id: upload_id, table: 'dataset_upload', status: "state || ': ' || error" };
  },
  async datasetSync({ context }) {
    const { sync_id = '' } = await SYNC_FACTORY.create(context);
    return { id: sync_id, table: 'dataset_sync', status: "status || ': ' || status_message" };
  },
  async trainingExport(ground) {
    const { experiment_id } = await EXPERIMENT_FACTORY.create(ground.context);
    const id = await idOf(
      ground,
      `with trained as (update training_experiment set status = 'SUCCEEDED' where id = $1 returning *)
       insert into training_export (tenant_id, experiment_id, tracker_run_id, formats, status)
       select tenant_id, id, tracker_run_id, '["onnx"]', 'RUNNING' from trained returning id`,
      experiment_id,
    );
    return { id, table: 'training_export', status: "lower(status) || ': ' || status_message" };
  },
  async datasetValidation(ground) {
    const kit = new DatasetKit(ground.context.api, ground.context.tenant);
    const key = await kit.draft('Half validated');
    const id = await idOf(
      ground,
      'update dataset set validation_active = true where key = $1 returning id',
      key,
    );
    return { id, table: 'dataset', status: "'active'", attempt: 'validation_attempt' };
  },
  async modelImage(ground) {
    const { image_id = '' } = await ENDPOINT_FACTORY.create({ ...ground.context, canary: 'built' });
    await ground.sql(
      "update serving_endpoint set status = 'STOPPED', wish = 'stop' where image_id = $1",
      image_id,
    );
    return { id: image_id, table: 'image', status: 'status', attempt: 'attempt' };
  },
  async promotion({ context }) {
    const { promotion_id = '' } = await PROMOTION_FACTORY.create(context);
    return { id: promotion_id, table: 'promotion', status: 'status', attempt: 'attempt' };
  },
  async deployment(ground) {
    const { id = '' } = await DEPLOYMENT_FACTORY.create(ground.context);
    await ground.sql("update deployment set status = 'PAUSED', finished_at = null where id = $1", id);
    return { id, table: 'deployment', status: 'status', attempt: 'attempt' };
  },
  async trainingExperiment({ context }) {
    const { experiment_id = '' } = await EXPERIMENT_FACTORY.create(context);
    return { id: experiment_id, table: 'training_experiment', status: 'status', attempt: 'attempt' };
  },
  async servingEndpoint(ground) {
    const { name, image_id } = await ENDPOINT_FACTORY.create({ ...ground.context, canary: 'serves' });
    await ground.sql("update image set status = 'FAILED' where id = $1", image_id);
    const id = await idOf(ground, 'select id from serving_endpoint where name = $1', name);
    return { id, table: 'serving_endpoint', status: 'status', attempt: 'attempt' };
  },
  async tenantDeletion(ground) {
    const { api } = ground.context;
    const { id, code } = await api.addTenant();
    const { body } = await api.call('POST', `/api/v1/settings/tenants/${id}/deletion`, {
      token: api.admin.token,
      json: { confirm_code: code },
    });
    return { id: body.id, table: 'tenant_deletion', status: 'status', attempt: 'attempt' };
  },
};

describe('active rows that were restored from a backup', () => {
  let api: TestApi;
  let ground: Ground;
  let settled: readonly SettledKind[];
  const rows = new Map<string, ActiveRow & { readonly before: number }>();
  let seenOut: string;

  const read = async ({ id, table, status, attempt }: ActiveRow) => {
    const [row] = await ground.sql<{ status: string; attempt: number }>(
      `select ${status} as status, ${attempt ?? '1'} as attempt from ${table} where id = $1`,
      id,
    );
    return row as { status: string; attempt: number };
  };
  /** Attempts whose start waits for a worker. */
  const startsOf = async (workflowType: string, id: string): Promise<number[]> => {
    const starts = await ground.sql<{ attempt: string }>(
      `select substring(workflow_id from '[0-9]+$') as attempt from dispatch
       where kind = 'start' and payload->>'workflowType' = $1 and workflow_id like '%:' || $2 || ':%'`,
      ...[workflowType, id],
    );
    return starts.map(({ attempt }) => Number(attempt));
  };

  beforeAll(async () => {
    api = await startTestApi();
    const tenant = await api.addTenant();
    const user = await api.addUser({ [tenant.code]: 'ADMIN' });
    ground = {
      context: { api, tenant, user, canary: 'restored' },
      sql: (text, ...params) => api.container.db.inPlatform((tx) => tx.query(text, params)),
    };
    for (const { workflowType } of RESTORED_WORK) {
      const row = await BUILDERS[workflowType]?.({
        ...ground,
        context: { ...ground.context, canary: `c${randomUUID().slice(0, 8)}` },
      });
      if (row) rows.set(workflowType, { ...row, before: (await read(row)).attempt });
    }
    seenOut = (await DEPLOYMENT_FACTORY.create(ground.context)).id ?? '';
    await ground.sql(
      "update deployment_device set step = 'installing', finished_at = null where deployment_id = $1",
      seenOut,
    );
    settled = await finishRestore(api.container.db, { id: randomUUID(), takenAt: new Date() });
  }, 60_000);
  afterAll(() => api?.close());

  it('are tried of every kind', () => {
    expect(Object.keys(BUILDERS).sort()).toEqual(
      RESTORED_WORK.map(({ workflowType }) => workflowType).sort(),
    );
    expect(settled.filter(({ rows: found }) => found === 0)).toEqual([]);
  });

  it('of deployments that have ended are followed while a device is at it', async () => {
    expect(await startsOf('deployment', seenOut)).toEqual([2]);
  });

  it.each(RESTORED_WORK.map(({ workflowType, becomes }) => [workflowType, becomes] as const))(
    'of %s become %s',
    async (workflowType, becomes) => {
      const row = rows.get(workflowType) as ActiveRow & { readonly before: number };
      const { status, attempt } = await read(row);
      if (becomes === 'failed') {
        expect(status).toMatch(/^failed: The platform was restored from a backup while this was under way; /);
        expect(await startsOf(workflowType, row.id)).toEqual([]);
      } else {
        expect(attempt).toBe(row.before + 1);
        expect(await startsOf(workflowType, row.id)).toEqual([attempt]);
      }
    },
  );
});
