import { badRequest, notFound } from '../../../core/errors/app-error.js';
import { cutPage } from '../../../formats/mlflow/page-token.js';
import { deploymentsOfVersions } from '../../../models/deployments/deployment.queries.js';
import type { Database } from '../../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../../models/orm/transaction.js';
import { changeStage } from '../../../models/registry/change-stage.commands.js';
import { deleteVersion } from '../../../models/registry/delete-model.commands.js';
import { describeVersion } from '../../../models/registry/labels/describe-model.commands.js';
import type { KeyValue } from '../../../models/registry/labels/key-value.types.js';
import { deleteVersionTag, setVersionTag } from '../../../models/registry/labels/labels.commands.js';
import {
  findLabelledModel,
  findLabelledVersion,
  type RegistrySearch,
  searchLabelledVersions,
} from '../../../models/registry/labels/labels.queries.js';
import type { LabelledVersion } from '../../../models/registry/labels/labels.types.js';
import { type Stage, STAGES } from '../../../models/registry/model.types.js';
import { listVersionsInStage } from '../../../models/registry/version.queries.js';
import {
  registerSource,
  type SourceRegistration,
} from '../../../models/tracker/register/register-source.commands.js';
import { classesOfTraining } from '../../../models/training/learned-classes.queries.js';
import type { TrackerCaller } from '../protocol/tracker-callers.js';
import type { VersionPromotions } from './version-promotions.service.js';

/** Versions as MLflow's clients use them. All methods throw not_found for a version that does not exist. */
export class ModelVersionsService {
  constructor(
    private readonly db: Database,
    private readonly promotions: VersionPromotions,
  ) {}

  create(
    { tenant, actor }: TrackerCaller,
    asked: Omit<SourceRegistration, 'classesOf'>,
  ): Promise<LabelledVersion> {
    return this.db.inTenant(tenant.tenantId, async (tx) =>
      numbered(
        tx,
        asked.modelName,
        await registerSource(tx, actor, { ...asked, classesOf: classesOfTraining }),
      ),
    );
  }

  read({ tenant }: TrackerCaller, name: string, version: number): Promise<LabelledVersion> {
    return this.db.inTenant(tenant.tenantId, (tx) => numbered(tx, name, version));
  }

  search({ tenant }: TrackerCaller, search: RegistrySearch) {
    return this.db.inTenant(tenant.tenantId, async (tx) =>
      cutPage(await searchLabelledVersions(tx, search), search.offset, search.limit),
    );
  }

  /** The highest version of each stage that is asked for; of all stages when none is. */
  latest({ tenant }: TrackerCaller, name: string, stages: readonly string[]): Promise<LabelledVersion[]> {
    const wanted = new Set((stages.length === 0 ? STAGES : stages).map((stage) => canonicalStage(stage)));
    return this.db.inTenant(tenant.tenantId, async (tx) => {
      const model = await findLabelledModel(tx, name);
      if (!model) throw notFound('Registered model');
      return model.latest.filter((version) => wanted.has(version.stage));
    });
  }

  describe(
    { tenant, actor }: TrackerCaller,
    name: string,
    version: number,
    description: string,
  ): Promise<LabelledVersion> {
    return this.db.inTenant(tenant.tenantId, async (tx) => {
      await describeVersion(tx, actor, name, version, description);
      return numbered(tx, name, version);
    });
  }

  async remove({ tenant, actor }: TrackerCaller, name: string, version: number): Promise<void> {
    await this.db.inTenant(tenant.tenantId, (tx) =>
      deleteVersion(tx, actor, name, version, deploymentsOfVersions),
    );
  }

  async setTag({ tenant }: TrackerCaller, name: string, version: number, tag: KeyValue): Promise<void> {
    await this.db.inTenant(tenant.tenantId, (tx) => setVersionTag(tx, name, version, tag));
  }

  async deleteTag({ tenant }: TrackerCaller, name: string, version: number, key: string): Promise<void> {
    await this.db.inTenant(tenant.tenantId, (tx) => deleteVersionTag(tx, name, version, key));
  }

  /**
   * Production is reached by a promotion alone.
   * @param archivesOthers the other versions of Staging become Archived; of Production there is one only anyway
   * @throws AppError bad_request for others of a stage in which they may stay; forbidden for Production without PRODUCTION_PROMOTE; what `VersionPromotions.promote` throws
   */
  async moveTo(
    caller: TrackerCaller,
    name: string,
    version: number,
    stageName: string,
    archivesOthers: boolean,
  ): Promise<LabelledVersion> {
    const stage = canonicalStage(stageName);
    if (archivesOthers && stage !== 'Staging' && stage !== 'Production')
      throw badRequest(
        `Model version transition cannot archive existing model versions because '${stage}' is not an Active stage. ` +
          'Valid stages are Staging, Production.',
      );
    if (stage === 'Production') {
      caller.require('PRODUCTION_PROMOTE');
      await this.promotions.promote(caller, name, version);
      return this.read(caller, name, version);
    }
    const { tenant, actor } = caller;
    return this.db.inTenant(tenant.tenantId, async (tx) => {
      const { modelId } = await changeStage(tx, actor, name, version, stage);
      const others = archivesOthers ? await listVersionsInStage(tx, modelId, stage) : [];
      for (const other of others)
        if (other !== version) await changeStage(tx, actor, name, other, 'Archived');
      return numbered(tx, name, version);
    });
  }
}

/** Stages are words of any case. @throws AppError bad_request */
function canonicalStage(given: string): Stage {
  const stage = STAGES.find((known) => known.toLowerCase() === given.toLowerCase());
  if (stage === undefined)
    throw badRequest(
      `Invalid Model Version stage: ${JSON.stringify(given.slice(0, 100))}. It is one of ${STAGES.join(', ')}.`,
    );
  return stage;
}

async function numbered(tx: TenantTransaction, name: string, version: number): Promise<LabelledVersion> {
  const found = await findLabelledVersion(tx, name, version);
  if (!found) throw notFound('Model version');
  return found;
}
