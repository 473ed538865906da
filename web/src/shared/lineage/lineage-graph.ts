/** What the API says about where a version comes from and where it is in use. */
export interface LineageSource {
  readonly name: string;
  readonly version: number;
  readonly stage: string;
  readonly lineage: {
    readonly dataset_id: string | null;
    readonly dataset_digest: string | null;
    readonly training: {
      readonly id: string;
      readonly name: string | null;
      readonly status: string | null;
    } | null;
    readonly base: {
      readonly model_name: string;
      readonly version: number;
      readonly stage: string | null;
    } | null;
    readonly run: { readonly run_id: string; readonly name: string | null; readonly status: string | null };
    readonly image_ref: string | null;
    readonly endpoints: ReadonlyArray<{ readonly name: string; readonly status: string | null }>;
    readonly deployments: ReadonlyArray<{ readonly id: string; readonly status: string }>;
    readonly deployments_total: number;
    readonly devices: ReadonlyArray<{ readonly device_id: string }>;
    readonly devices_total: number;
    readonly derived: ReadonlyArray<{
      readonly model_name: string;
      readonly version: number;
      readonly stage: string;
    }>;
  };
}

export type LineageKind =
  | 'dataset'
  | 'training'
  | 'run'
  | 'version'
  | 'image'
  | 'endpoint'
  | 'deployment'
  | 'deployments'
  | 'device'
  | 'devices';

/** So many deployments, devices and descendants of a version are drawn; the other deployments and devices are one thing. */
const MOST_DRAWN = 5;

export interface LineageNode {
  readonly id: string;
  readonly kind: LineageKind;
  readonly label: string;
  /** Digest, id or reference in short; null where the label says it all. */
  readonly detail: string | null;
  /** State or stage; null: it has none, or it was deleted. */
  readonly state: string | null;
  /** What a link needs: the id in the path of its page. */
  readonly target: string;
}

export interface LineageEdge {
  readonly from: string;
  readonly to: string;
}

export interface LineageGraph {
  readonly nodes: readonly LineageNode[];
  readonly edges: readonly LineageEdge[];
}

/** Graph from the data over training and run to what serves and to the field; what several versions share is in it once. */
export function lineageGraph(versions: readonly LineageSource[]): LineageGraph {
  const nodes = new Map<string, LineageNode>();
  const edges = new Map<string, LineageEdge>();
  for (const version of versions) {
    const chain = chainOf(version);
    for (const node of chain) if (!nodes.has(node.id)) nodes.set(node.id, node);
    join(edges, chain);
    joinBase(nodes, edges, version, chain);
    const last = chain.at(-1);
    for (const endpoint of version.lineage.endpoints) {
      const node = endpointNode(endpoint);
      nodes.set(node.id, node);
      if (last) join(edges, [last, node]);
    }
    const made = chain.find(({ kind }) => kind === 'version');
    for (const { model_name: name, version: number, stage } of version.lineage.derived.slice(0, MOST_DRAWN)) {
      const node = versionNode(name, number, stage);
      if (!nodes.has(node.id)) nodes.set(node.id, node);
      // One that is drawn with its own training has its way from here already.
      if (made && !isDrawn(versions, name, number)) join(edges, [made, node]);
    }
    for (const node of fieldNodes(version)) {
      nodes.set(node.id, node);
      if (made) join(edges, [made, node]);
    }
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}

const isDrawn = (versions: readonly LineageSource[], name: string, number: number): boolean =>
  versions.some((other) => other.name === name && other.version === number);

/** From the data to the image, each made of the one before; what is not known is left out. */
function chainOf(version: LineageSource): LineageNode[] {
  const { lineage } = version;
  const chain: LineageNode[] = [];
  if (lineage.dataset_id !== null) chain.push(datasetNode(lineage.dataset_id, lineage.dataset_digest));
  if (lineage.training !== null) chain.push(trainingNode(lineage.training));
  const { run_id: runId, name, status } = lineage.run;
  chain.push({
    id: `run ${runId}`,
    kind: 'run',
    label: name ?? runId,
    detail: runId.slice(0, 8),
    state: status,
    target: runId,
  });
  chain.push(versionNode(version.name, version.version, version.stage));
  if (lineage.image_ref !== null)
    chain.push({
      id: `image ${lineage.image_ref}`,
      kind: 'image',
      label: lineage.image_ref.replace(/^[^/]*\//, '').replace(/@.*$/, ''),
      detail: /@sha256:([0-9a-f]{8})/.exec(lineage.image_ref)?.[1] ?? null,
      state: null,
      target: lineage.image_ref,
    });
  return chain;
}

/** A dataset as it was at a time, which its digest names. */
export const datasetNode = (id: string, digest: string | null): LineageNode => ({
  id: `dataset ${id} ${digest ?? ''}`,
  kind: 'dataset',
  label: id,
  detail: digest?.slice(0, 8) ?? null,
  state: null,
  target: id,
});

export const trainingNode = ({
  id,
  name,
  status,
}: NonNullable<LineageSource['lineage']['training']>): LineageNode => ({
  id: `training ${id}`,
  kind: 'training',
  label: name ?? id,
  detail: null,
  state: status,
  target: id,
});

function versionNode(name: string, version: number, state: string | null): LineageNode {
  const label = `${name} v${version}`;
  return {
    ...{ id: `version ${name} ${version}`, kind: 'version', label },
    detail: null,
    state,
    target: String(version),
  };
}

/** What a training began with leads to it as its data do. */
function joinBase(
  nodes: Map<string, LineageNode>,
  edges: Map<string, LineageEdge>,
  { lineage: { base } }: LineageSource,
  chain: readonly LineageNode[],
): void {
  const made = chain.find(({ kind }) => kind === 'training') ?? chain.find(({ kind }) => kind === 'run');
  if (base === null || made === undefined) return;
  const node = versionNode(base.model_name, base.version, base.stage);
  if (!nodes.has(node.id)) nodes.set(node.id, node);
  join(edges, [node, made]);
}

const endpointNode = ({ name, status }: { name: string; status: string | null }): LineageNode => ({
  id: `endpoint ${name}`,
  kind: 'endpoint',
  label: name,
  detail: null,
  state: status,
  target: name,
});

/** What brought a version to devices, and the devices that have it. */
function fieldNodes({ name, version, lineage }: LineageSource): LineageNode[] {
  const target = `${name}:${version}`;
  const rest = (kind: 'deployments' | 'devices', more: number): LineageNode[] =>
    more <= 0
      ? []
      : [{ id: `${kind} ${target}`, kind, label: `+${more}`, detail: null, state: null, target }];
  const deployments = lineage.deployments.slice(0, MOST_DRAWN);
  const devices = lineage.devices.slice(0, MOST_DRAWN);
  return [
    ...deployments.map(
      ({ id, status }): LineageNode => ({
        ...{ id: `deployment ${id}`, kind: 'deployment', label: id.slice(0, 8) },
        ...{ detail: null, state: status, target: id },
      }),
    ),
    ...rest('deployments', lineage.deployments_total - deployments.length),
    ...devices.map(
      ({ device_id: id }): LineageNode => ({
        ...{ id: `device ${id}`, kind: 'device', label: id },
        ...{ detail: null, state: null, target: id },
      }),
    ),
    ...rest('devices', lineage.devices_total - devices.length),
  ];
}

function join(edges: Map<string, LineageEdge>, chain: readonly LineageNode[]): void {
  chain.slice(1).forEach((node, place) => {
    const from = chain[place]?.id ?? '';
    edges.set(`${from} > ${node.id}`, { from, to: node.id });
  });
}
