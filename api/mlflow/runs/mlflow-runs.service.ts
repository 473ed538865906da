import { notFound } from '../../../core/errors/app-error.js';
import { cutPage } from '../../../formats/mlflow/page-token.js';
import type { Database } from '../../../models/orm/in-tenant.js';
import { linkToRun } from '../../../models/tracker/inputs/run-links.commands.js';
import { writeModelMetrics } from '../../../models/tracker/logged-models/model-metrics.commands.js';
import type { MetricKeys } from '../../../models/tracker/metric-keys.js';
import { writeBatch } from '../../../models/tracker/run-batch.commands.js';
import type { ParsedBatch } from '../../../models/tracker/run-batch.rules.js';
import {
  type ClientRun,
  createClientRun,
  deleteRunTag,
  nameRunByTag,
  type RunChange,
  setRunLifecycle,
  updateClientRun,
} from '../../../models/tracker/runs/client-run.commands.js';
import { recordModel } from '../../../models/tracker/runs/model-history.commands.js';
import { findRunRecord, listRunRecords } from '../../../models/tracker/runs/run-record.queries.js';
import type { DatasetInput, RunModelLink, RunRecord } from '../../../models/tracker/runs/run-record.types.js';
import { type RunSearch, searchRunRows } from '../../../models/tracker/search/run-search.queries.js';
import type { TrackerCaller } from '../protocol/tracker-callers.js';

/** Runs as MLflow's clients use them. */
export class MlflowRunsService {
  constructor(
    private readonly db: Database,
    private readonly metricKeys: MetricKeys,
  ) {}

  create({ tenant, actor }: TrackerCaller, run: ClientRun): Promise<RunRecord> {
    return this.db.inTenant(tenant.tenantId, async (tx) => {
      const runId = await createClientRun(tx, actor, run);
      return (await findRunRecord(tx, runId)) as RunRecord;
    });
  }

  /** Deleted ones too. @throws AppError not_found */
  read({ tenant }: TrackerCaller, runId: string): Promise<RunRecord> {
    return this.db.inTenant(tenant.tenantId, async (tx) => {
      const run = await findRunRecord(tx, runId);
      if (!run) throw notFound('Run');
      return run;
    });
  }

  update({ tenant }: TrackerCaller, runId: string, change: RunChange): Promise<RunRecord> {
    return this.db.inTenant(tenant.tenantId, async (tx) => {
      await updateClientRun(tx, runId, change);
      return (await findRunRecord(tx, runId)) as RunRecord;
    });
  }

  async setLifecycle(
    { tenant, actor }: TrackerCaller,
    runId: string,
    lifecycle: 'active' | 'deleted',
  ): Promise<void> {
    await this.db.inTenant(tenant.tenantId, (tx) => setRunLifecycle(tx, actor, runId, lifecycle));
  }

  /** All of a batch or nothing. */
  async log({ tenant }: TrackerCaller, { runId, batch, measured }: ParsedBatch): Promise<void> {
    await this.db.inTenant(tenant.tenantId, async (tx) => {
      await writeBatch(tx, this.metricKeys, runId, batch);
      await writeModelMetrics(tx, runId, measured);
      await nameRunByTag(tx, runId, batch.tags);
    });
  }

  async recordModel({ tenant }: TrackerCaller, runId: string, model: object): Promise<void> {
    await this.db.inTenant(tenant.tenantId, (tx) => recordModel(tx, runId, model));
  }

  async deleteTag({ tenant }: TrackerCaller, runId: string, key: string): Promise<void> {
    await this.db.inTenant(tenant.tenantId, (tx) => deleteRunTag(tx, runId, key));
  }

  async link(
    { tenant }: TrackerCaller,
    runId: string,
    datasets: readonly DatasetInput[],
    models: readonly RunModelLink[],
  ): Promise<void> {
    await this.db.inTenant(tenant.tenantId, (tx) => linkToRun(tx, runId, datasets, models));
  }

  search({ tenant }: TrackerCaller, search: RunSearch) {
    return this.db.inTenant(tenant.tenantId, async (tx) => {
      const page = cutPage(await searchRunRows(tx, search), search.offset, search.limit);
      return { ...page, items: await listRunRecords(tx, page.items) };
    });
  }
}
