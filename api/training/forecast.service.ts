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
import { findRunningTraining } from '../../models/training/forecast/running-training.queries.js';
import { listRunningTrainings } from '../../models/training/forecast/running-trainings.platform.js';
import { trainingSizeOf } from '../../models/training/forecast/training-size.js';
import type { ExperimentRow } from '../../models/training/experiment.queries.js';
import { isTerminal, workloadId } from '../../models/training/experiment-state.rules.js';
import type { ExperimentConfig, ExperimentStep, StepKey } from '../../models/training/experiment.types.js';
import type { JobSettings } from '../../models/training/jobs/job-spec.js';
import { findQueuePlace, type QueuePlace } from '../../models/workloads/placement.platform.js';
import { findAskedAt } from '../../models/workloads/workload.queries.js';
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
    const environment = await this.environment(config);
    return {
      ...{ config, size, duration, queue, gpuSlots: this.catalog.gpuSlots },
      memoryBytes: estimateMemory(size, { usesGpu: framework?.usesGpu === true }),
      memoryLimitBytes: this.job.memoryBytes,
      environment,
      waitS: waitS(queue.code, queue.position, remaining, duration.expectedS, environment?.seconds),
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
      ...(experiment.status === 'RUNNING'
        ? await this.run(caller, experiment)
        : await this.wait(caller, experiment, typicalS)),
      now: new Date(),
      typicalS,
    });
  }

  private async run(caller: Caller, { id }: ExperimentRow): Promise<Omit<ForecastFacts, 'now' | 'typicalS'>> {
    const running = await this.db.inTenant(caller.tenant.tenantId, (tx) => findRunningTraining(tx, id));
    return { reason: null, queuePosition: null, waitS: null, running };
  }

  private async wait(
    caller: Caller,
    experiment: ExperimentRow,
    typicalS: number,
  ): Promise<Omit<ForecastFacts, 'now' | 'typicalS'>> {
    const name = workloadId(experiment.id, experiment.attempt);
    const askedAt = await this.db.inTenant(caller.tenant.tenantId, (tx) => findAskedAt(tx, name));
    const makingS = (await this.environment(experiment.config))?.seconds ?? 0;
    if (askedAt === null) {
      const reason: StepReason = experiment.status === 'QUEUED' ? 'worker' : 'checking';
      const begins = waitS(reason, null, [], typicalS, makingS);
      return { reason, queuePosition: null, waitS: begins, running: null };
    }
    const { more: running, ...place } = await findQueuePlace(this.db, { name }, listRunningTrainings);
    const reason: StepReason = place.code ?? 'starting';
    const remaining = running.map((one) => remainingS(one, typicalS));
    // Its host makes the environment since it has the workload: since it was asked for, where it had not to wait.
    const madeS = place.code === null ? (Date.now() - askedAt.getTime()) / 1000 : 0;
    const leftS = Math.max(0, makingS - madeS);
    return {
      ...{ reason, queuePosition: place.position, running: null },
      waitS: waitS(reason, place.position, remaining, typicalS, leftS),
    };
  }

  /** What a host makes before a training with this config begins; null: nothing. */
  private async environment({ framework: name }: ExperimentConfig): Promise<EnvironmentNeed | null> {
    const framework = this.catalog.catalog.framework(name);
    return framework && environmentToMake(framework, await this.catalog.runtimes());
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
