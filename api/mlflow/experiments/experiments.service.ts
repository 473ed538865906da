import { AlreadyExists, badRequest, notFound } from '../../../core/errors/app-error.js';
import { DEFAULT_PROJECT, type ExperimentPlace } from '../../../formats/mlflow/experiment-name.js';
import { cutPage } from '../../../formats/mlflow/page-token.js';
import type { Database } from '../../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../../models/orm/transaction.js';
import {
  createExperiment,
  deleteExperimentTag,
  renameExperiment,
  setExperimentLifecycle,
  setExperimentTag,
} from '../../../models/tracker/experiments/experiment.commands.js';
import {
  type ExperimentSearch,
  findExperiment,
  findExperimentAt,
  searchExperiments,
} from '../../../models/tracker/experiments/experiment.queries.js';
import type { TrackerExperimentRow } from '../../../models/tracker/experiments/experiment.types.js';
import {
  type DatasetSummary,
  listDatasetSummaries,
} from '../../../models/tracker/inputs/dataset-summary.queries.js';
import type { KeyValue } from '../../../models/tracker/run.types.js';
import { defaultExperiment } from '../../../models/tracker/runs/client-run.commands.js';
import { DEFAULT_EXPERIMENT } from '../../../models/tracker/runs/run-name.rules.js';
import type { TrackerCaller } from '../protocol/tracker-callers.js';

const DEFAULT_PLACE: ExperimentPlace = { project: DEFAULT_PROJECT, name: DEFAULT_EXPERIMENT };

/** Experiments as MLflow's clients use them. Null stands for the tenant's default experiment. */
export class ExperimentsService {
  constructor(private readonly db: Database) {}

  create(
    { tenant, actor }: TrackerCaller,
    place: ExperimentPlace,
    tags: readonly KeyValue[],
  ): Promise<number> {
    return this.db.inTenant(tenant.tenantId, async (tx) => {
      const id = await createExperiment(tx, actor, place, tags);
      if (id !== null) return id;
      const known = await findExperimentAt(tx, place);
      throw new AlreadyExists(
        known?.lifecycle === 'deleted'
          ? 'An experiment of this name was deleted; restore it, or choose another name.'
          : 'An experiment of this name already exists.',
      );
    });
  }

  /** The default experiment is made for whoever may make one. @throws AppError not_found */
  read(caller: TrackerCaller, id: number | null): Promise<TrackerExperimentRow> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const found = id === null ? await this.readDefault(tx, caller) : await findExperiment(tx, id);
      if (!found) throw notFound('Experiment');
      return found;
    });
  }

  /** As they are stored; what does not exist is left out of a search. */
  async resolve(caller: TrackerCaller, ids: readonly (number | null)[]): Promise<number[]> {
    const known = ids.filter((id) => id !== null);
    if (known.length === ids.length) return known;
    const found = await this.db.inTenant(caller.tenant.tenantId, (tx) => this.readDefault(tx, caller));
    return found ? [...known, found.id] : known;
  }

  private async readDefault(
    tx: TenantTransaction,
    caller: TrackerCaller,
  ): Promise<TrackerExperimentRow | null> {
    const known = await findExperimentAt(tx, DEFAULT_PLACE);
    if (known || !caller.may('DEVELOP')) return known;
    return findExperiment(tx, await defaultExperiment(tx, caller.actor));
  }

  /** @throws AppError not_found */
  readByName({ tenant }: TrackerCaller, place: ExperimentPlace): Promise<TrackerExperimentRow> {
    return this.db.inTenant(tenant.tenantId, async (tx) => {
      const found = await findExperimentAt(tx, place);
      if (!found) throw notFound('Experiment');
      return found;
    });
  }

  search({ tenant }: TrackerCaller, search: ExperimentSearch) {
    return this.db.inTenant(tenant.tenantId, async (tx) =>
      cutPage(await searchExperiments(tx, search), search.offset, search.limit),
    );
  }

  async rename({ tenant, actor }: TrackerCaller, id: number | null, place: ExperimentPlace): Promise<void> {
    await this.db.inTenant(tenant.tenantId, (tx) => renameExperiment(tx, actor, this.notDefault(id), place));
  }

  async setLifecycle(
    { tenant, actor }: TrackerCaller,
    id: number | null,
    lifecycle: 'active' | 'deleted',
  ): Promise<void> {
    await this.db.inTenant(tenant.tenantId, (tx) =>
      setExperimentLifecycle(tx, actor, this.notDefault(id), lifecycle),
    );
  }

  async setTag({ tenant, actor }: TrackerCaller, id: number | null, tag: KeyValue): Promise<void> {
    await this.db.inTenant(tenant.tenantId, async (tx) =>
      setExperimentTag(tx, id ?? (await defaultExperiment(tx, actor)), tag),
    );
  }

  async deleteTag({ tenant, actor }: TrackerCaller, id: number | null, key: string): Promise<void> {
    await this.db.inTenant(tenant.tenantId, async (tx) =>
      deleteExperimentTag(tx, id ?? (await defaultExperiment(tx, actor)), key),
    );
  }

  datasets({ tenant }: TrackerCaller, ids: readonly number[]): Promise<DatasetSummary[]> {
    return this.db.inTenant(tenant.tenantId, (tx) => listDatasetSummaries(tx, ids));
  }

  private notDefault(id: number | null): number {
    if (id === null) throw badRequest('Name the default experiment by its own id.');
    return id;
  }
}
