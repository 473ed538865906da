import { describe, expect, it } from '@jest/globals';
import { type LineageSource, lineageGraph } from '../../../web/src/shared/lineage/lineage-graph.ts';
import { lineageLayout } from '../../../web/src/shared/lineage/lineage-layout.ts';

const version = (number: number, change: Partial<LineageSource['lineage']> = {}): LineageSource => ({
  name: 'digits',
  version: number,
  stage: 'None',
  lineage: {
    dataset_id: 'scans',
    dataset_digest: 'ab'.repeat(32),
    base: null,
    training: { id: `t${number}`, name: `training ${number}`, status: 'SUCCEEDED' },
    run: { run_id: `r${number}`, name: null, status: 'FINISHED' },
    image_ref: `host:1/demo/digits@sha256:${'cd'.repeat(32)}`,
    endpoints: [{ name: 'digits', status: 'RUNNING' }],
    ...{ deployments: [], deployments_total: 0, devices: [], devices_total: 0, derived: [] },
    ...change,
  },
});

const kinds = (sources: readonly LineageSource[]) => lineageGraph(sources).nodes.map((node) => node.kind);

describe('lineage graph', () => {
  it('leads from the data to what serves', () => {
    const { nodes, edges } = lineageGraph([version(1)]);
    expect(nodes.map((node) => node.kind)).toEqual([
      'dataset',
      'training',
      'run',
      'version',
      'image',
      'endpoint',
    ]);
    expect(edges.map((edge) => edge.from)).toEqual(nodes.slice(0, -1).map((node) => node.id));
    expect(nodes.find((node) => node.kind === 'image')).toMatchObject({
      label: 'demo/digits',
      detail: 'cdcdcdcd',
    });
  });

  it('leaves out what is not known and still joins the rest', () => {
    const { nodes, edges } = lineageGraph([
      version(1, { dataset_id: null, training: null, image_ref: null }),
    ]);
    expect(nodes.map((node) => node.kind)).toEqual(['run', 'version', 'endpoint']);
    expect(edges).toHaveLength(2);
  });

  it('has what several versions share once', () => {
    const shared = { dataset_id: 'scans', image_ref: null };
    expect(kinds([version(1, shared), version(2, shared)])).toEqual([
      'dataset',
      'training',
      'run',
      'version',
      'endpoint',
      'training',
      'run',
      'version',
    ]);
  });

  it('leads from the version that a training began with to that training', () => {
    const base = { model_name: 'digits', version: 1, stage: 'Production' };
    const { nodes, edges } = lineageGraph([version(2, { base }), version(1)]);
    expect(nodes.filter(({ id }) => id === 'version digits 1')).toHaveLength(1);
    expect(edges).toContainEqual({ from: 'version digits 1', to: 'training t2' });
    const gone = lineageGraph([version(2, { base: { ...base, stage: null }, training: null })]);
    expect(gone.edges).toContainEqual({ from: 'version digits 1', to: 'run r2' });
    expect(gone.nodes.find(({ id }) => id === 'version digits 1')).toMatchObject({
      state: null,
      target: '1',
    });
  });

  it('leads on to the versions that were trained from it, over their training where that is drawn', () => {
    const derived = [2, 3].map((number) => ({ model_name: 'digits', version: number, stage: 'None' }));
    const base = { model_name: 'digits', version: 1, stage: 'None' };
    const { nodes, edges } = lineageGraph([version(1, { derived }), version(2, { base })]);
    expect(nodes.filter(({ kind }) => kind === 'version').map(({ label }) => label)).toEqual([
      'digits v1',
      'digits v2',
      'digits v3',
    ]);
    const onward = edges.filter(({ from }) => from === 'version digits 1').map(({ to }) => to);
    expect(onward).toEqual(expect.arrayContaining(['version digits 3', 'training t2']));
    expect(onward).not.toContain('version digits 2');
  });

  it('leads on to deployments and devices, of which many are one thing', () => {
    const devices = Array.from({ length: 50 }, (_, at) => ({ device_id: `cam-${at + 10}` }));
    const field = {
      ...{ deployments: [{ id: 'd1', status: 'SUCCEEDED' }], deployments_total: 1 },
      ...{ devices, devices_total: 60 },
    };
    const { nodes, edges } = lineageGraph([version(1, field)]);
    const inField = nodes.filter(({ kind }) => /^(device|deployment)/.test(kind));
    expect(inField.map(({ kind, label }) => `${kind} ${label}`)).toEqual([
      'deployment d1',
      ...['cam-10', 'cam-11', 'cam-12', 'cam-13', 'cam-14'].map((id) => `device ${id}`),
      'devices +55',
    ]);
    for (const { id } of inField) expect(edges).toContainEqual({ from: 'version digits 1', to: id });
    expect(nodes.at(-1)).toMatchObject({ target: 'digits:1' });
  });

  it('lays out from left to right without overlaps', () => {
    const graph = lineageGraph([version(1), version(2, { endpoints: [] })]);
    const places = lineageLayout(graph);
    for (const { from, to } of graph.edges)
      expect(places.get(from)?.x).toBeLessThan(places.get(to)?.x ?? Number.NaN);
    expect(new Set([...places.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(graph.nodes.length);
  });
});
