import { AlreadyExists, badRequest, notFound } from '../../../core/errors/app-error.js';
import { cutPage } from '../../../formats/mlflow/page-token.js';
import { deploymentsOfVersions } from '../../../models/deployments/deployment.queries.js';
import type { Database } from '../../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../../models/orm/transaction.js';
import { deleteModel } from '../../../models/registry/delete-model.commands.js';
import {
  createModel,
  describeModel,
  renameModel,
} from '../../../models/registry/labels/describe-model.commands.js';
import type { KeyValue } from '../../../models/registry/labels/key-value.types.js';
import {
  deleteAlias,
  deleteModelTag,
  setAlias,
  setModelTag,
} from '../../../models/registry/labels/labels.commands.js';
import {
  findLabelledModel,
  findVersionByAlias,
  type RegistrySearch,
  searchLabelledModels,
} from '../../../models/registry/labels/labels.queries.js';
import type { LabelledModel, LabelledVersion } from '../../../models/registry/labels/labels.types.js';
import type { TrackerCaller } from '../protocol/tracker-callers.js';

/** Names the highest version of a model without being set; of any case. */
const LATEST = 'latest';

/** Registered models as MLflow's clients use them: they are the registry's own. */
export class MlflowModelsService {
  constructor(private readonly db: Database) {}

  create(
    { tenant, actor }: TrackerCaller,
    name: string,
    description: string | null,
    tags: readonly KeyValue[],
  ): Promise<LabelledModel> {
    return this.db.inTenant(tenant.tenantId, async (tx) => {
      if ((await createModel(tx, actor, name, description, tags)) === null)
        throw new AlreadyExists(`Registered Model (name=${name}) already exists.`);
      return named(tx, name);
    });
  }

  read({ tenant }: TrackerCaller, name: string): Promise<LabelledModel> {
    return this.db.inTenant(tenant.tenantId, (tx) => named(tx, name));
  }

  rename({ tenant, actor }: TrackerCaller, name: string, newName: string): Promise<LabelledModel> {
    return this.db.inTenant(tenant.tenantId, async (tx) => {
      if (newName !== name) await renameModel(tx, actor, name, newName, deploymentsOfVersions);
      return named(tx, newName);
    });
  }

  describe({ tenant, actor }: TrackerCaller, name: string, description: string): Promise<LabelledModel> {
    return this.db.inTenant(tenant.tenantId, async (tx) => {
      await describeModel(tx, actor, name, description);
      return named(tx, name);
    });
  }

  async remove({ tenant, actor }: TrackerCaller, name: string): Promise<void> {
    await this.db.inTenant(tenant.tenantId, (tx) => deleteModel(tx, actor, name, deploymentsOfVersions));
  }

  search({ tenant }: TrackerCaller, search: RegistrySearch) {
    return this.db.inTenant(tenant.tenantId, async (tx) =>
      cutPage(await searchLabelledModels(tx, search), search.offset, search.limit),
    );
  }

  async setTag({ tenant }: TrackerCaller, name: string, tag: KeyValue): Promise<void> {
    await this.db.inTenant(tenant.tenantId, (tx) => setModelTag(tx, name, tag));
  }

  async deleteTag({ tenant }: TrackerCaller, name: string, key: string): Promise<void> {
    await this.db.inTenant(tenant.tenantId, (tx) => deleteModelTag(tx, name, key));
  }

  async setAlias(
    { tenant, actor }: TrackerCaller,
    name: string,
    alias: string,
    version: number,
  ): Promise<void> {
    await this.db.inTenant(tenant.tenantId, (tx) => setAlias(tx, actor, name, alias, version));
  }

  async deleteAlias({ tenant, actor }: TrackerCaller, name: string, alias: string): Promise<void> {
    await this.db.inTenant(tenant.tenantId, (tx) => deleteAlias(tx, actor, name, alias));
  }

  /** `latest` is the highest version of every model. @throws AppError not_found, bad_request for an alias that it lacks */
  byAlias({ tenant }: TrackerCaller, name: string, alias: string): Promise<LabelledVersion> {
    return this.db.inTenant(tenant.tenantId, async (tx) => {
      const { latest } = await named(tx, name);
      const isLatest = alias.toLowerCase() === LATEST;
      const version = isLatest ? latest.at(-1) : await findVersionByAlias(tx, name, alias);
      if (version) return version;
      throw isLatest
        ? notFound('Model version')
        : badRequest(`Registered model alias ${JSON.stringify(alias.slice(0, 100))} not found.`);
    });
  }
}

async function named(tx: TenantTransaction, name: string): Promise<LabelledModel> {
  const model = await findLabelledModel(tx, name);
  if (!model) throw notFound('Registered model');
  return model;
}
