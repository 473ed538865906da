import type { Launch } from './launch.service.js';
import type { LaunchOut } from './launch.schemas.js';

export const toLaunchOut = ({ experiment, job, spec, state }: Launch): LaunchOut => ({
  experiment_id: experiment.id,
  attempt: experiment.attempt,
  run_id: experiment.trackerRunId,
  environment: spec.environment.map((variable) => ({ ...variable })),
  volumes: spec.volumes.map(({ path, kind, description, readOnly }) => ({
    ...{ path, kind, description },
    read_only: readOnly,
  })),
  pod: {
    name: job.name,
    kind: 'job',
    runtime: job.spec.runtime,
    entrypoint: job.spec.entrypoint,
    args: [...job.spec.args],
    origin: job.spec.origin ?? 'platform',
    memory_limit_bytes: job.spec.limits.memoryBytes,
    timeout_s: job.spec.limits.timeoutS,
    gpu: experiment.gpu,
    status: state?.phase ?? null,
    message: state?.message ?? null,
    started_at: state?.startedAt?.toISOString() ?? null,
  },
  config: JSON.parse(job.spec.files.find(({ path }) => path === 'config.json')?.content ?? '{}') as Record<
    string,
    unknown
  >,
});
