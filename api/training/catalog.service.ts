import { offReason } from '../../core/config/switched-off.js';
import { AppError, fieldError, notFound, unprocessable } from '../../core/errors/app-error.js';
import { MAX_PLAIN_LIST, type Page, type StdParams, toListQuery, toPage } from '../../core/paging/page.js';
import type { OperatorWeights, StatedWeights } from '../../core/ports/operator-weights.js';
import type { RuntimeAvailability } from '../../core/ports/workload-runner.js';
import {
  findDatasetStatus,
  findFrozenDataset,
  listTrainable,
} from '../../models/datasets/catalog/frozen-dataset.queries.js';
import type { ClassCount, TrainableDataset } from '../../models/datasets/catalog/dataset.types.js';
import type { Database } from '../../models/orm/in-tenant.js';
import {
  availabilityOf,
  type Catalog,
  pretrainedSources,
  taskAvailability,
} from '../../models/training/catalog/catalog.js';
import { TASK_ENTRIES } from '../../models/training/catalog/tasks.js';
import type {
  Availability,
  FrameworkEntry,
  ModelEntry,
  PretrainedSource,
  TaskEntry,
  TaskType,
} from '../../models/training/catalog/catalog.types.js';
import type { HostCapabilities } from '../../models/workloads/host.platform.js';
import { closestName } from '../../core/text/closest-name.js';
import { classesForTask } from '../../models/training/dataset-classes.rules.js';
import type { Caller } from '../http/routing/request-context.js';

/** How long the answer about runtimes is believed. */
const FRESH_MS = 10_000;

export interface CatalogModel {
  readonly model: ModelEntry;
  readonly framework: FrameworkEntry;
  readonly availability: Availability;
  /** What its training may begin with beside random numbers. */
  readonly weights: readonly PretrainedSource[];
}

/** What can be trained, with what, and from which data. */
export class CatalogService {
  private known: { readonly at: number; readonly runtimes: Promise<readonly RuntimeAvailability[]> } | null =
    null;

  constructor(
    private readonly db: Database,
    readonly catalog: Catalog,
    private readonly hosts: HostCapabilities,
    private readonly weights: OperatorWeights,
  ) {}

  get gpuSlots(): number {
    return this.hosts.gpuSlots;
  }

  runtimes(): Promise<readonly RuntimeAvailability[]> {
    const now = Date.now();
    if (this.known === null || now - this.known.at > FRESH_MS) {
      // What is shipped waits for the first host.
      const runtimes = this.hosts.runtimes().then((found) => found ?? this.shipped());
      this.known = { at: now, runtimes };
      runtimes.catch(() => {
        this.known = null;
      });
    }
    return this.known.runtimes;
  }

  private shipped(): RuntimeAvailability[] {
    return this.catalog.frameworks.flatMap(({ runtime, optIn, license }) =>
      runtime === null
        ? []
        : [{ runtime, available: !optIn, reason: optIn ? offReason(runtime, license) : null }],
    );
  }

  async tasks(): Promise<Array<{ task: TaskEntry; availability: Availability }>> {
    const runtimes = await this.runtimes();
    return TASK_ENTRIES.map((task) => ({
      task,
      availability: taskAvailability(this.catalog.frameworksFor(task.name), runtimes),
    }));
  }

  async frameworks(
    task: TaskType,
  ): Promise<Array<{ framework: FrameworkEntry; availability: Availability }>> {
    const runtimes = await this.runtimes();
    return this.catalog
      .frameworksFor(task)
      .map((framework) => ({ framework, availability: availabilityOf(framework, runtimes) }));
  }

  /** @throws AppError unprocessable_entity for a framework that does not exist */
  async models(task: TaskType, framework: string | null, params: StdParams): Promise<Page<CatalogModel>> {
    if (framework !== null) this.requireFramework(framework, 'framework');
    const query = toListQuery(params, ['name']);
    const needle = query.q?.toLowerCase() ?? '';
    const found = this.catalog
      .models(task, framework)
      .filter((model) => `${model.name} ${model.title}`.toLowerCase().includes(needle));
    const runtimes = await this.runtimes();
    const items = found.slice(query.offset, query.offset + query.pageSize).map(async (model) => {
      const own = this.requireFramework(model.framework, 'framework');
      const isPlaced = (await this.placedWeights(own.name, model.name)) !== null;
      const weights = pretrainedSources(own, isPlaced);
      return { model, framework: own, availability: availabilityOf(own, runtimes), weights };
    });
    return toPage(query, await Promise.all(items), found.length);
  }

  /** What the operator placed for a model; null for anything that is no model of the catalog. */
  async placedWeights(framework: unknown, model: unknown): Promise<StatedWeights | null> {
    const entry = typeof framework === 'string' ? this.catalog.framework(framework) : null;
    const known = entry?.hasPretrained === true && entry.models.find(({ name }) => name === model);
    return entry !== null && known ? this.weights.find(entry.name, known.name) : null;
  }

  /**
   * YAML text with the defaults of a model.
   * @throws AppError unprocessable_entity for an unknown framework or model, not_found where no runtime brings them
   */
  hyperparameters(framework: string, model: string | null): string {
    const entry = this.requireFramework(framework, 'framework');
    const names = entry.models.map((candidate) => candidate.name);
    const found =
      model === null
        ? entry.models.find((candidate) => candidate.isDefault)
        : entry.models.find((candidate) => candidate.name === model);
    if (!found)
      throw unprocessable([
        fieldError(['query', 'model'], `no such model of ${framework}; ${hint(model ?? '', names)}`),
      ]);
    if (found.hyperparameters === null) throw notFound('Hyperparameters of this model');
    return found.hyperparameters;
  }

  async datasets(caller: Caller): Promise<{ items: TrainableDataset[]; total: number }> {
    return this.db.inTenant(caller.tenant.tenantId, (tx) => listTrainable(tx, MAX_PLAIN_LIST));
  }

  /** @throws AppError not_found for an unknown dataset, conflict for one that is not FROZEN */
  async classes(
    caller: Caller,
    datasetId: string,
    task: string,
    framework: string | null,
    model: string | null,
  ): Promise<readonly ClassCount[]> {
    if (framework !== null) {
      const entry = this.requireFramework(framework, 'framework');
      if (model !== null && !entry.models.some((candidate) => candidate.name === model))
        throw unprocessable([
          fieldError(
            ['query', 'model'],
            `no such model of ${framework}; ${hint(
              model,
              entry.models.map((candidate) => candidate.name),
            )}`,
          ),
        ]);
    }
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const dataset = await findFrozenDataset(tx, datasetId);
      if (dataset) return classesForTask(dataset, task);
      const status = await findDatasetStatus(tx, datasetId);
      if (status === null) throw notFound('Dataset');
      throw new AppError('conflict', `The dataset is ${status}: its classes are known once it is FROZEN.`, {
        status,
      });
    });
  }

  private requireFramework(name: string, field: string): FrameworkEntry {
    const entry = this.catalog.framework(name);
    if (!entry)
      throw unprocessable([
        fieldError(
          ['query', field],
          `no such framework; ${hint(
            name,
            this.catalog.frameworks.map((candidate) => candidate.name),
          )}`,
        ),
      ]);
    return entry;
  }
}

function hint(word: string, known: readonly string[]): string {
  const near = closestName(word, known);
  return near === null ? `there are ${known.slice(0, 20).join(', ')}` : `did you mean ${near}?`;
}
