import { notFound } from '../../../core/errors/app-error.js';
import { cutPage } from '../../../formats/mlflow/page-token.js';
import type { Database } from '../../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../../models/orm/transaction.js';
import {
  addLoggedModelParams,
  createLoggedModel,
  deleteLoggedModel,
  deleteLoggedModelTag,
  finishLoggedModel,
  type NewLoggedModel,
  setLoggedModelTags,
} from '../../../models/tracker/logged-models/logged-model.commands.js';
import {
  findLoggedModel,
  type LoggedModelSearch,
  searchLoggedModels,
} from '../../../models/tracker/logged-models/logged-model.queries.js';
import type {
  LoggedModelDetail,
  LoggedModelStatus,
} from '../../../models/tracker/logged-models/logged-model.types.js';
import type { KeyValue } from '../../../models/tracker/run.types.js';
import type { TrackerCaller } from '../protocol/tracker-callers.js';

/** Models that clients log beside their runs. All methods throw not_found for a model that does not exist. */
export class LoggedModelsService {
  constructor(private readonly db: Database) {}

  create(caller: TrackerCaller, model: NewLoggedModel): Promise<LoggedModelDetail> {
    return this.changed(caller, (tx) => createLoggedModel(tx, caller.actor, model));
  }

  read({ tenant }: TrackerCaller, modelId: string, withDeleted: boolean): Promise<LoggedModelDetail> {
    return this.db.inTenant(tenant.tenantId, async (tx) => {
      const model = await findLoggedModel(tx, modelId, withDeleted);
      if (!model) throw notFound('Logged model');
      return model;
    });
  }

  finish(caller: TrackerCaller, modelId: string, status: LoggedModelStatus): Promise<LoggedModelDetail> {
    return this.changed(caller, async (tx) => {
      await finishLoggedModel(tx, modelId, status);
      return modelId;
    });
  }

  addParams(caller: TrackerCaller, modelId: string, params: readonly KeyValue[]): Promise<LoggedModelDetail> {
    return this.changed(caller, async (tx) => {
      await addLoggedModelParams(tx, modelId, params);
      return modelId;
    });
  }

  setTags(caller: TrackerCaller, modelId: string, tags: readonly KeyValue[]): Promise<LoggedModelDetail> {
    return this.changed(caller, async (tx) => {
      await setLoggedModelTags(tx, modelId, tags);
      return modelId;
    });
  }

  async deleteTag({ tenant }: TrackerCaller, modelId: string, key: string): Promise<void> {
    await this.db.inTenant(tenant.tenantId, (tx) => deleteLoggedModelTag(tx, modelId, key));
  }

  async remove({ tenant, actor }: TrackerCaller, modelId: string): Promise<void> {
    await this.db.inTenant(tenant.tenantId, (tx) => deleteLoggedModel(tx, actor, modelId));
  }

  search({ tenant }: TrackerCaller, search: LoggedModelSearch) {
    return this.db.inTenant(tenant.tenantId, async (tx) =>
      cutPage(await searchLoggedModels(tx, search), search.offset, search.limit),
    );
  }

  private changed(
    { tenant }: TrackerCaller,
    work: (tx: TenantTransaction) => Promise<string>,
  ): Promise<LoggedModelDetail> {
    return this.db.inTenant(tenant.tenantId, async (tx) => {
      const modelId = await work(tx);
      return (await findLoggedModel(tx, modelId, true)) as LoggedModelDetail;
    });
  }
}
