import { notFound } from '../../core/errors/app-error.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { findCheckpoint } from '../../models/training/checkpoint.queries.js';
import { type ExperimentRow, findExperiment } from '../../models/training/experiment.queries.js';
import { type JobSettings, jobSpec } from '../../models/training/jobs/job-spec.js';
import { type LaunchSpec, launchSpec } from '../../models/training/jobs/launch-spec.rules.js';
import { findWorkload } from '../../models/workloads/workload.queries.js';
import type { NewWorkload, WorkloadState } from '../../models/workloads/workload.types.js';
import type { Caller } from '../http/routing/request-context.js';

export interface Launch {
  readonly experiment: ExperimentRow;
  readonly job: NewWorkload;
  readonly spec: LaunchSpec;
  readonly state: WorkloadState | null;
}

/** How an attempt is launched: what the worker asks for, made by the same code. */
export class LaunchService {
  constructor(
    private readonly db: Database,
    private readonly job: JobSettings,
  ) {}

  read(caller: Caller, id: string): Promise<Launch> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const experiment = await findExperiment(tx, id);
      if (!experiment) throw notFound('Experiment');
      const { resumeRunId, datasetKey, datasetDigest } = experiment;
      const checkpoint = resumeRunId ? await findCheckpoint(tx, resumeRunId) : null;
      const job = jobSpec(experiment, checkpoint, this.job);
      const data = `The frozen files of ${datasetKey}, digest ${datasetDigest}, fetched before the start.`;
      return { experiment, job, spec: launchSpec(job, data), state: await findWorkload(tx, job.name) };
    });
  }
}
