import type { ManifestFile } from '../../datasets/validation/manifest.types.js';
import type { RunArtifact } from '../../tracker/run.types.js';
import type { NewWorkload } from '../../workloads/workload.types.js';
import type { ExperimentRow } from '../experiment.queries.js';
import { jobEnvironment, type JobSettings } from '../jobs/job-spec.js';
import { trainingFiles } from '../training-files.rules.js';
import { exportWorkloadId } from './export-state.rules.js';
import { EXPORT_SIGNAL, type ExportRef, exportWorkflowId } from './export-work.types.js';

/** The report of an earlier export, or of the training. */
export const EXPORT_REPORT = 'export/export.json';
/** Images that the exported model is compared on: of some of them a detector may find nothing. */
const EXAMPLES = 24;
const MAX_EXAMPLE_BYTES = 20 * 2 ** 20;
/** Writing a model takes seconds to minutes. */
const TIMEOUT_S = 3600;

/** Images of the trained data, spread over it; the same for every repeat. */
export function exampleImages(
  files: readonly ManifestFile[],
  config: Parameters<typeof trainingFiles>[1],
): ManifestFile[] {
  const images = trainingFiles(files, config).filter(
    ({ kind, size }) => kind === 'image' && size <= MAX_EXAMPLE_BYTES,
  );
  const step = Math.max(1, images.length / EXAMPLES);
  const picked = Array.from({ length: Math.min(EXAMPLES, images.length) }, (_, at) => Math.floor(at * step));
  return picked.flatMap((at) => images[at] ?? []);
}

export interface ExportInput {
  readonly ref: ExportRef;
  readonly experiment: ExperimentRow;
  readonly formats: readonly string[];
  /** Files of the stored model, `model/...`. */
  readonly model: readonly RunArtifact[];
  readonly report: RunArtifact | null;
  readonly examples: readonly ManifestFile[];
}

/** The job of one export, as docs/reference/runtime-contract.md describes it. */
export function exportJobSpec(input: ExportInput, settings: JobSettings): NewWorkload {
  const { ref, experiment, formats, model, report, examples } = input;
  const config = { task: experiment.task, model: experiment.model, run_id: experiment.trackerRunId, formats };
  const fetched = [...model, ...(report ? [report] : [])];
  return {
    kind: 'export',
    name: exportWorkloadId(ref.exportId, ref.attempt),
    ownerId: ref.exportId,
    attempt: ref.attempt,
    spec: {
      kind: 'job',
      runtime: experiment.framework,
      entrypoint: 'export_model.py',
      origin: 'platform',
      args: [],
      files: [
        { path: 'config.json', content: JSON.stringify(config) },
        { path: 'manifest.json', content: JSON.stringify({ files: [] }) },
      ],
      downloads: [
        ...fetched.map(({ path, objectKey, sha256 }) => ({ key: objectKey, sha256, path })),
        ...examples.map(({ path, key, sha256 }, at) => ({
          ...{ key, sha256 },
          // Named by number: the names of people's files stay with the dataset.
          path: `examples/${String(at).padStart(2, '0')}${/\.[A-Za-z0-9]{1,8}$/.exec(path)?.[0] ?? ''}`,
        })),
      ],
      labels: {},
      limits: { memoryBytes: settings.memoryBytes, timeoutS: TIMEOUT_S },
    },
    env: jobEnvironment(experiment, settings),
    replicas: 1,
    wake: { workflowId: exportWorkflowId(ref), signal: EXPORT_SIGNAL },
  };
}
