import type { Schemas } from '../../api/client';
import {
  datasetNode,
  type LineageGraph,
  type LineageSource,
  lineageGraph,
  trainingNode,
} from '../../shared/lineage/lineage-graph';

type Usage = Pick<Schemas['UsageOut'], 'items' | 'model_versions'>;
type Run = Usage['items'][number];
type Made = Usage['model_versions'][number];

/** The dataset as it was at a time. */
export interface DataVersion {
  readonly digest: string;
  readonly isCurrent: boolean;
  /** When a run first used it; null: none did. */
  readonly firstSeen: string | null;
  readonly runs: number;
  readonly models: number;
}

/** Versions that something was made from, and the current one: that first, then the latest. @param digest of now */
export function dataVersions(digest: string | null, { items, model_versions: made }: Usage): DataVersion[] {
  const used = [...items.map((run) => run.digest), ...made.flatMap((model) => model.dataset_digest ?? [])];
  const digests = [...new Set([...(digest === null ? [] : [digest]), ...used])];
  return digests
    .map((each): DataVersion => {
      const runs = items.filter((run) => run.digest === each);
      const seen = runs.map(({ created_at: at }) => at).sort();
      return {
        digest: each,
        isCurrent: each === digest,
        firstSeen: seen[0] ?? null,
        runs: runs.length,
        models: made.filter((model) => model.dataset_digest === each).length,
      };
    })
    .sort(
      (one, other) =>
        Number(other.isCurrent) - Number(one.isCurrent) ||
        (other.firstSeen ?? '').localeCompare(one.firstSeen ?? ''),
    );
}

/** So many models and trainings are drawn, the newest of them. */
export const MOST_DRAWN = 12;

/** From the versions of a dataset over trainings and models to what serves them. */
export function usageGraph(id: string, digest: string | null, usage: Usage): LineageGraph {
  const newest = [...usage.items].sort((one, other) => other.created_at.localeCompare(one.created_at));
  const runOf = new Map(newest.map((run) => [run.experiment_id, run]));
  const { nodes, edges } = lineageGraph(
    usage.model_versions.slice(0, MOST_DRAWN).map((made) => sourceOf(id, made, runOf)),
  );
  const all = new Map(nodes.map((node) => [node.id, node]));
  const joined = [...edges];
  if (digest !== null) all.set(datasetNode(id, digest).id, datasetNode(id, digest));
  for (const run of newest.slice(0, MOST_DRAWN)) {
    const [data, training] = [datasetNode(id, run.digest), trainingOf(run)];
    if (all.has(training.id)) continue;
    all.set(data.id, data).set(training.id, training);
    joined.push({ from: data.id, to: training.id });
  }
  return { nodes: [...all.values()], edges: joined };
}

const trainingOf = ({ experiment_id: id, name, status }: Run) => trainingNode({ id, name, status });

/** A model as lineage has it; the usage of a dataset knows neither images nor bases, nor the state of endpoints. */
function sourceOf(id: string, made: Made, runOf: ReadonlyMap<string, Run>): LineageSource {
  const training = made.training_experiment_id;
  const run = training === null ? undefined : runOf.get(training);
  return {
    name: made.model_name,
    version: made.version,
    stage: made.stage,
    lineage: {
      dataset_id: id,
      dataset_digest: made.dataset_digest,
      training:
        training === null ? null : { id: training, name: run?.name ?? null, status: run?.status ?? null },
      base: null,
      run: { run_id: made.run_id, name: null, status: null },
      image_ref: null,
      endpoints: made.endpoints.map((name) => ({ name, status: null })),
      deployments: [],
      deployments_total: 0,
      devices: made.devices.map((device) => ({ device_id: device })),
      devices_total: made.devices_total,
      derived: [],
    },
  };
}
