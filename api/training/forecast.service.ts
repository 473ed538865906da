import { unprocessable } from '../../core/errors/app-error.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { findFrozenDataset, findVersionFacts } from '../../models/datasets/catalog/frozen-dataset.queries.js';
import type { FrozenDataset } from '../../models/datasets/catalog/dataset.types.js';
import { environmentToMake } from '../../models/training/catalog/catalog.js';
import type { EnvironmentNeed } from '../../models/training/catalog/catalog.types.js';
import {
  type DurationEstimate,
  estimateDuration,
  estimateMemory,
  type TrainingSize,
} from '../../models/training/forecast/estimate.rules.js';
import {
  type ForecastFacts,
  forecastSteps,
  remainingS,
  type StepForecast,
  type StepReason,
  waitS,
} from '../../models/training/forecast/forecast.rules.js';
import { listPastTrainings } from '../../models/training/forecast/past-trainings.queries.js';
import { listRunningTrainings } from '../../models/training/forecast/running-trainings.platform.js';
import { trainingSizeOf } from '../../models/training/forecast/training-size.js';
import type { ExperimentRow } from '../../models/training/experiment.queries.js';
import { isTerminal, workloadId } from '../../models/training/experiment-state.rules.js';
import type { ExperimentConfig, ExperimentStep, StepKey } from '../../models/training/experiment.types.js';
import type { JobSettings } from '../../models/training/jobs/job-spec.js';
import { findQueuePlace, type QueuePlace } from '../../models/workloads/placement.platform.js';
import { findWorkload } from '../../models/workloads/workload.queries.js';
import type { Caller } from '../http/routing/request-context.js';
import type { CatalogService } from './catalog.service.js';
import type { ExperimentsService } from './experiments.service.js';

export type Forecasts = ReadonlyMap<StepKey, StepForecast>;

export interface Estimate {
  readonly config: ExperimentConfig;
  readonly size: TrainingSize;
  readonly duration: DurationEstimate;
  readonly memoryBytes: number;
  readonly memoryLimitBytes: number;
  readonly gpuSlots: number;
  /** Made before it begins. */
  readonly environment: EnvironmentNeed | null;
  /** If it were started now. */
  readonly queue: QueuePlace;
  readonly waitS: number | null;
}

type Job = Pick<JobSettings, 'memoryBytes'>;

/** How long trainings wait and take, before they are started and while they wait or run. */
export class ForecastService {
  constructor(
    private readonly db: Database,
    private readonly catalog: CatalogService,
    private readonly job: Job,
  ) {}

  /** @throws AppError unprocessable_entity naming every field that is wrong */
  async estimate(caller: Caller, given: unknown, experiments: ExperimentsService): Promise<Estimate> {
    const { config, errors } = await experiments.validate(caller, given);
    if (errors.length > 0) throw unprocessable(errors);
    const { size, duration } = await this.ofConfig(caller, config, (tx) =>
      findFrozenDataset(tx, config.dataset_id),
    );
    const need = {
      kind: 'training',
      runtime: config.framework,
      origin: 'platform',
      memoryBytes: this.job.memoryBytes,
    } as const;
    const { more: running, ...queue } = await findQueuePlace(this.db, { need }, listRunningTrainings);
    const remaining = running.map((one) => remainingS(one, duration.expectedS));
    const framework = this.catalog.catalog.framework(config.framework);
    return {
      ...{ config, size, duration, queue, gpuSlots: this.catalog.gpuSlots },
      memoryBytes: estimateMemory(size, { usesGpu: framework?.usesGpu === true }),
      memoryLimitBytes: this.job.memoryBytes,
      environment: framework && environmentToMake(framework, await this.catalog.runtimes()),
      waitS: waitS(queue.code, queue.position, remaining, duration.expectedS),
    };
  }

  /** Forecasts of the steps of an attempt; empty once it has trained. */
  async ofExperiment(
    caller: Caller,
    experiment: ExperimentRow,
    steps: readonly ExperimentStep[],
  ): Promise<Forecasts> {
    if (isTerminal(experiment.status) || experiment.status === 'FINALIZING') return new Map();
    const { config, datasetVersionId } = experiment;
    const { duration } = await this.ofConfig(caller, config, (tx) => findVersionFacts(tx, datasetVersionId));
    const typicalS = duration.expectedS;
    return forecastSteps(steps, {
      ...(experiment.status === 'RUNNING' ? RUNS : await this.wait(caller, experiment, typicalS)),
      now: new Date(),
      typicalS,
    });
  }

  private async wait(
    caller: Caller,
    experiment: ExperimentRow,
    typicalS: number,
  ): Promise<Omit<ForecastFacts, 'now' | 'typicalS'>> {
    const name = workloadId(experiment.id, experiment.attempt);
    const state = await this.db.inTenant(caller.tenant.tenantId, (tx) => findWorkload(tx, name));
    if (state === null) {
      const reason: StepReason = experiment.status === 'QUEUED' ? 'worker' : 'checking';
      return { reason, queuePosition: null, waitS: waitS(reason, null, [], typicalS) };
    }
    const { more: running, ...place } = await findQueuePlace(this.db, { name }, listRunningTrainings);
    const reason: StepReason = place.code ?? 'starting';
    const remaining = running.map((one) => remainingS(one, typicalS));
    return {
      ...{ reason, queuePosition: place.position },
      waitS: waitS(reason, place.position, remaining, typicalS),
    };
  }

  private async ofConfig(
    caller: Caller,
    config: ExperimentConfig,
    factsOf: (
      tx: Parameters<typeof findVersionFacts>[0],
    ) => Promise<Pick<FrozenDataset, 'classes' | 'tasks' | 'splits' | 'fileCount'> | null>,
  ): Promise<{ size: TrainingSize; duration: DurationEstimate }> {
    const model = this.catalog.catalog.model(config.framework, config.task, config.model);
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const facts = (await factsOf(tx)) ?? { classes: [], tasks: {}, splits: {}, fileCount: 0 };
      const size = trainingSizeOf(config, model, facts);
      return { size, duration: estimateDuration(size, await listPastTrainings(tx, config, model)) };
    });
  }
}

const RUNS = { reason: null, queuePosition: null, waitS: null };
