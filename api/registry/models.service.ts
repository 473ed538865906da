import { notFound } from '../../core/errors/app-error.js';
import { type Page, toListQuery } from '../../core/paging/page.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import type { ImageRow } from '../../models/images/image.types.js';
import { findImagesOfVersions } from '../../models/images/image.queries.js';
import { deploymentsOfVersions } from '../../models/deployments/deployment.queries.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { changeStage } from '../../models/registry/change-stage.commands.js';
import { deleteModel, deleteVersion } from '../../models/registry/delete-model.commands.js';
import { countStages, findModel, listModels, MODEL_SORTS } from '../../models/registry/model.queries.js';
import type { ModelRow, ModelVersionRow, Stage } from '../../models/registry/model.types.js';
import { findLineage, type VersionLineage } from '../../models/registry/lineage.queries.js';
import {
  findProductionAt,
  listStageChanges,
  type StageChangeRow,
} from '../../models/registry/stage-history.queries.js';
import { findVersion, listVersionFiles, listVersions } from '../../models/registry/version.queries.js';
import type { Caller } from '../http/routing/request-context.js';
import type { Download } from '../http/answers/send-download.js';
import { modelDownload } from './model-download.js';
import type { ModelListQuery, VersionListQuery } from './models.schemas.js';

export interface VersionView {
  readonly version: ModelVersionRow;
  readonly image: ImageRow | undefined;
}

interface DetailView extends VersionView {
  readonly lineage: VersionLineage;
}

interface StageHistory {
  readonly items: readonly StageChangeRow[];
  readonly total: number;
  readonly production: { readonly version: number; readonly since: Date } | null;
}

/** What people do with models and their versions. */
export class ModelsService {
  constructor(
    private readonly db: Database,
    private readonly objects: ObjectStore,
    /** Host part of image references. */
    readonly registryHost: string,
  ) {}

  list(caller: Caller, query: ModelListQuery): Promise<Page<ModelRow>> {
    const list = toListQuery(query, MODEL_SORTS);
    const { production = null, dataset_digest: datasetDigest = null } = query;
    return this.db.inTenant(caller.tenant.tenantId, (tx) =>
      listModels(tx, list, { production, datasetDigest }),
    );
  }

  summary(caller: Caller): Promise<{ models: number; versions: number; stages: Record<Stage, number> }> {
    return this.db.inTenant(caller.tenant.tenantId, countStages);
  }

  versions(caller: Caller, name: string, query: VersionListQuery): Promise<Page<VersionView>> {
    const list = toListQuery(query, ['version'], 'desc');
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const model = await findModel(tx, name);
      if (!model) throw notFound('Model');
      const page = await listVersions(tx, model.id, list, query.dataset_digest ?? null);
      const images = await findImagesOfVersions(
        tx,
        page.items.map((version) => version.id),
      );
      return { ...page, items: page.items.map((version) => ({ version, image: images.get(version.id) })) };
    });
  }

  version(caller: Caller, name: string, version: number): Promise<DetailView> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const found = await view(tx, await findVersion(tx, name, version));
      return { ...found, lineage: await findLineage(tx, found.version) };
    });
  }

  /** @param at null: now */
  stageHistory(caller: Caller, name: string, at: Date | null): Promise<StageHistory> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const model = await findModel(tx, name);
      if (!model) throw notFound('Model');
      return {
        ...(await listStageChanges(tx, model.id, at)),
        production: await findProductionAt(tx, model.id, at),
      };
    });
  }

  changeStage(caller: Caller, name: string, version: number, stage: string): Promise<VersionView> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) =>
      view(tx, await changeStage(tx, caller.actor, name, version, stage)),
    );
  }

  deleteVersion(caller: Caller, name: string, version: number): Promise<void> {
    return this.db.inTenant(caller.tenant.tenantId, (tx) =>
      deleteVersion(tx, caller.actor, name, version, deploymentsOfVersions),
    );
  }

  deleteModel(caller: Caller, name: string): Promise<void> {
    return this.db.inTenant(caller.tenant.tenantId, (tx) =>
      deleteModel(tx, caller.actor, name, deploymentsOfVersions),
    );
  }

  /** The bytes of a version; no transaction is open while they flow. */
  async download(caller: Caller, name: string, version: number): Promise<Download> {
    const files = await this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const found = await findVersion(tx, name, version);
      if (!found) throw notFound('Model version');
      return listVersionFiles(tx, found.id);
    });
    return modelDownload(this.objects, `${name}-v${version}`, files);
  }
}

async function view(tx: TenantTransaction, version: ModelVersionRow | null): Promise<VersionView> {
  if (!version) throw notFound('Model version');
  return { version, image: (await findImagesOfVersions(tx, [version.id])).get(version.id) };
}
