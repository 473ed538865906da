import { type FieldError, fieldError, notFound, unprocessable } from '../../core/errors/app-error.js';
import { type Page, type StdParams, toListQuery } from '../../core/paging/page.js';
import type { EventBus } from '../../core/ports/event-bus.js';
import { findFrozenDataset } from '../../models/datasets/catalog/frozen-dataset.queries.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { findEndpoint } from '../../models/serving/endpoint.queries.js';
import {
  DEFAULT_POINTS,
  listMetricNames,
  POINTS_OF_RANGE,
  readSeries,
  type Series,
} from '../../models/tracker/metric.queries.js';
import { findRun } from '../../models/tracker/run.queries.js';
import { availabilityOf, environmentToMake, isTask } from '../../models/training/catalog/catalog.js';
import { retryExperiment } from '../../models/training/attempt.commands.js';
import {
  cancelExperiment,
  createExperiment,
  deleteExperiment,
} from '../../models/training/experiment.commands.js';
import {
  type CheckedConfig,
  checkExperimentConfig,
  datasetKeyOf,
} from '../../models/training/config/check-experiment-config.js';
import { endpointNameOf } from '../../models/training/config/check-outcome.js';
import { BUILT_IN_PRESETS } from '../../models/training/presets/built-in-presets.js';
import { isEnd, stateEvent } from '../../models/training/experiment-events.js';
import {
  EXPERIMENT_SORTS,
  type ExperimentRow,
  findExperiment,
  type ListedExperiment,
  listExperiments,
} from '../../models/training/experiment.queries.js';
import { isTerminal } from '../../models/training/experiment-state.rules.js';
import type { ExperimentStatus, ExperimentStep } from '../../models/training/experiment.types.js';
import { listSteps } from '../../models/training/step.queries.js';
import type { Caller } from '../http/routing/request-context.js';
import type { StreamEnding } from '../streams/stream-events.js';
import type { CatalogService } from './catalog.service.js';
import type { PresetsService } from './presets.service.js';
import type { VersionWeightsService } from './version-weights.service.js';

/** Series shown when none are named. */
const DEFAULT_KEYS = 20;
const MAX_KEYS = 1000;

export interface ExperimentWithSteps {
  readonly experiment: ExperimentRow;
  readonly steps: readonly ExperimentStep[];
}

export interface Curves {
  readonly runId: string;
  readonly maxPoints: number;
  readonly keys: readonly string[];
  readonly curves: ReadonlyMap<string, Series>;
}

export class ExperimentsService {
  constructor(
    private readonly db: Database,
    private readonly catalog: CatalogService,
    private readonly presets: PresetsService,
    private readonly versions: VersionWeightsService,
    private readonly events: EventBus,
    private readonly memoryLimitBytes: number,
  ) {}

  async list(
    caller: Caller,
    status: ExperimentStatus | null,
    params: StdParams,
  ): Promise<Page<ListedExperiment>> {
    const query = toListQuery(params, EXPERIMENT_SORTS, params.sort ? 'asc' : 'desc');
    return this.db.inTenant(caller.tenant.tenantId, (tx) => listExperiments(tx, query, status));
  }

  async read(caller: Caller, id: string): Promise<ExperimentWithSteps> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => withSteps(tx, await required(tx, id)));
  }

  /** Checks without starting anything. */
  async validate(caller: Caller, given: unknown): Promise<CheckedConfig> {
    const runtimes = await this.catalog.runtimes();
    const key = datasetKeyOf(given);
    const endpoint = endpointNameOf(given);
    const { dataset, endpointTaken } = await this.db.inTenant(caller.tenant.tenantId, async (tx) => ({
      dataset: key === null ? null : await findFrozenDataset(tx, key),
      endpointTaken: endpoint !== null && (await findEndpoint(tx, endpoint)) !== null,
    }));
    const { framework, model } = (given ?? {}) as { framework?: unknown; model?: unknown };
    return checkExperimentConfig(given, {
      frameworksOf: (task) => (isTask(task) ? this.catalog.catalog.frameworksFor(task) : []),
      availability: (framework) => availabilityOf(framework, runtimes),
      environmentToMake: (framework) => environmentToMake(framework, runtimes),
      gpuSlots: this.catalog.gpuSlots,
      ...{ dataset, endpointTaken },
      weights: await this.catalog.placedWeights(framework, model),
      version: await this.versions.find(caller, given),
      memoryLimitBytes: this.memoryLimitBytes,
      now: new Date(),
    });
  }

  /** @throws AppError unprocessable_entity naming every field that is wrong; nothing is started then */
  async create(caller: Caller, given: unknown, preset: string | null): Promise<ExperimentWithSteps> {
    const { config, errors: found } = await this.validate(caller, given);
    const errors = [...found, ...(await this.presetProblems(caller, preset))];
    if (errors.length > 0) throw unprocessable(errors);
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const dataset = await findFrozenDataset(tx, config.dataset_id);
      if (!dataset)
        throw unprocessable([
          {
            loc: ['body', 'dataset_id'],
            msg: 'the dataset was changed just now and is no longer FROZEN',
            type: 'value_error',
          },
        ]);
      const licence = this.catalog.catalog.licenceOf(config.framework);
      const id = await createExperiment(tx, caller.actor, { config, dataset, licence, preset });
      return withSteps(tx, await required(tx, id));
    });
  }

  /** A preset is kept for statistics: a name nobody has would spoil them. */
  private async presetProblems(caller: Caller, preset: string | null): Promise<FieldError[]> {
    if (preset === null || (await this.presets.find(caller, preset)) !== null) return [];
    const known = BUILT_IN_PRESETS.map(({ id }) => id).join(', ');
    return [fieldError(['query', 'preset'], `no such preset; there are ${known}, and those of the tenant`)];
  }

  async cancel(caller: Caller, id: string): Promise<ExperimentWithSteps> {
    return this.change(caller, id, (tx) => cancelExperiment(tx, caller.actor, id));
  }

  async retry(caller: Caller, id: string, resumes: boolean): Promise<ExperimentWithSteps> {
    return this.change(caller, id, (tx) => retryExperiment(tx, caller.actor, id, resumes));
  }

  /** Changes the experiment, publishes its event, and answers what became of it. */
  private async change(
    caller: Caller,
    id: string,
    work: (tx: TenantTransaction) => Promise<void>,
  ): Promise<ExperimentWithSteps> {
    const changed = await this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      await work(tx);
      return withSteps(tx, await required(tx, id));
    });
    const { tenantId, status, statusMessage } = changed.experiment;
    this.events.publish([stateEvent({ tenantId, experimentId: id }, status, statusMessage)]);
    return changed;
  }

  async delete(caller: Caller, id: string): Promise<void> {
    await this.db.inTenant(caller.tenant.tenantId, (tx) => deleteExperiment(tx, caller.actor, id));
  }

  /** @param keys empty: the first twenty that say something about the model @param maxPoints 0: the default */
  async metrics(caller: Caller, id: string, keys: readonly string[], maxPoints: number): Promise<Curves> {
    const max = maxPoints === 0 ? DEFAULT_POINTS : Math.max(POINTS_OF_RANGE, maxPoints);
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const experiment = await required(tx, id);
      const run = await findRun(tx, experiment.trackerRunId);
      if (!run) return { runId: experiment.trackerRunId, maxPoints: max, keys: [], curves: new Map() };
      const known = await listMetricNames(tx, run.row, MAX_KEYS);
      const wanted =
        keys.length > 0 ? keys : known.filter((name) => !name.startsWith('system/')).slice(0, DEFAULT_KEYS);
      return {
        runId: run.runId,
        maxPoints: max,
        keys: known,
        curves: await readSeries(tx, run.row, wanted, max),
      };
    });
  }

  /** How those who follow an experiment learn of its end. @throws AppError not_found */
  async ending(caller: Caller, id: string): Promise<StreamEnding> {
    const { tenantId } = caller.tenant;
    const read = () => this.db.inTenant(tenantId, (tx) => required(tx, id));
    await read();
    const find = async () => {
      const { status, statusMessage } = await read();
      return isTerminal(status)
        ? stateEvent({ tenantId, experimentId: id.toLowerCase() }, status, statusMessage)
        : null;
    };
    return { find, isLast: isEnd };
  }
}

async function required(tx: TenantTransaction, id: string): Promise<ExperimentRow> {
  const found = await findExperiment(tx, id);
  if (!found) throw notFound('Experiment');
  return found;
}

const withSteps = async (tx: TenantTransaction, experiment: ExperimentRow): Promise<ExperimentWithSteps> => ({
  experiment,
  steps: await listSteps(tx, experiment.id, experiment.attempt),
});
