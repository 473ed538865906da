import { describe, expect, it } from '@jest/globals';
import { dataVersions, usageGraph } from '../../../web/src/datasets/parts/data-versions';

const run = (id: string, digest: string, day: number) => ({
  kind: 'training',
  experiment_id: id,
  name: `training ${id}`,
  status: 'SUCCEEDED',
  task: null,
  framework: null,
  model: null,
  tracker_run_id: null,
  digest,
  created_at: `2026-11-0${day}T00:00:00.000Z`,
});
const model = (version: number, digest: string | null, training: string | null) => ({
  model_name: 'digits',
  version,
  stage: 'None',
  dataset_digest: digest,
  run_id: `run-${version}`,
  training_experiment_id: training,
  endpoints: version === 2 ? ['reader'] : [],
  devices: [],
  devices_total: 0,
});
const USAGE = {
  items: [run('a', 'old', 1), run('b', 'older', 2), run('c', 'old', 3)],
  model_versions: [model(2, 'old', 'c'), model(1, null, null)],
};

describe('versions of a dataset', () => {
  it('are the current one and those that something was made from, the latest first', () => {
    expect(
      dataVersions('now', USAGE).map(({ digest, isCurrent, firstSeen, runs, models }) => [
        ...[digest, isCurrent, firstSeen?.slice(0, 10), runs, models],
      ]),
    ).toEqual([
      ['now', true, undefined, 0, 0],
      ['older', false, '2026-11-02', 1, 0],
      ['old', false, '2026-11-01', 2, 1],
    ]);
    expect(dataVersions(null, { items: [], model_versions: [] })).toEqual([]);
  });

  it('lead over trainings and models to what serves, each thing once', () => {
    const { nodes, edges } = usageGraph('scans', 'now', USAGE);
    expect(nodes.filter(({ kind }) => kind === 'dataset').map(({ detail }) => detail)).toEqual(
      expect.arrayContaining(['now', 'old', 'older']),
    );
    expect(nodes.filter(({ kind }) => kind === 'training').map(({ target }) => target)).toEqual([
      'c',
      'b',
      'a',
    ]);
    expect(edges).toEqual(
      expect.arrayContaining([
        { from: 'dataset scans old', to: 'training c' },
        { from: 'version digits 2', to: 'endpoint reader' },
        { from: 'dataset scans older', to: 'training b' },
      ]),
    );
    expect(new Set(nodes.map(({ id }) => id)).size).toBe(nodes.length);
  });
});
