/** One line of "happening now": what it is, how it stands, and where it is looked at. */
export interface WorkItem {
  readonly key: string;
  readonly kind: 'training' | 'validation' | 'sync' | 'promotion' | 'endpoint' | 'deployment';
  readonly name: string;
  readonly state: string;
  readonly message: string;
  /** From 0 to 1; null where nobody can say. */
  readonly progress: number | null;
  readonly isForReader: boolean;
  readonly page: { readonly to: string; readonly params: Readonly<Record<string, string>> };
}

interface Training {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly status_message: string;
  readonly progress: number;
}
interface Validation {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly validation_progress?: { readonly total: number; readonly checked: number } | null;
}
interface Sync {
  readonly id: string;
  readonly dataset_id: string;
  readonly dataset_name: string;
  readonly status: string;
  readonly status_message: string | null;
  readonly progress: { readonly percent: number };
}
interface Promotion {
  readonly id: string;
  readonly model_name: string;
  readonly to_version: number;
  readonly status: string;
  readonly status_message: string;
  readonly created_by: string | null;
}
interface Endpoint {
  readonly name: string;
  readonly status: string;
  readonly status_message: string | null;
}

interface Deployment {
  readonly id: string;
  readonly model_name: string;
  readonly version: number;
  readonly status: string;
  readonly message: string;
  readonly progress: number;
}

export interface Work {
  readonly trainings: readonly Training[];
  readonly validations: readonly Validation[];
  readonly syncs: readonly Sync[];
  readonly promotions: readonly Promotion[];
  readonly deployments: readonly Deployment[];
}

interface Reader {
  readonly id: string;
  /** Whether the reader may decide promotions to Production. */
  readonly mayApprove: boolean;
}

/** An endpoint in one of these states is as it should be. */
const QUIET = ['RUNNING', 'STOPPED'];

/**
 * What runs, waits or is not well: first what waits for the reader, then endpoints that are not well, then what moves.
 * @param nameOf a promotion's or a deployment's name
 */
export function workItems(
  tenant: string,
  work: Work,
  endpoints: readonly Endpoint[],
  reader: Reader,
  nameOf: (model: string, version: number) => string,
): WorkItem[] {
  const promotions = work.promotions.map((promotion) => promotionItem(tenant, promotion, reader, nameOf));
  return [
    ...promotions.filter(({ isForReader }) => isForReader),
    ...endpoints
      .filter(({ status }) => !QUIET.includes(status))
      .map((endpoint) => endpointItem(tenant, endpoint)),
    ...work.deployments.map((deployment) => deploymentItem(tenant, deployment, nameOf)),
    ...work.trainings.map((training) => trainingItem(tenant, training)),
    ...work.validations.map((dataset) => validationItem(tenant, dataset)),
    ...work.syncs.map((sync) => syncItem(tenant, sync)),
    ...promotions.filter(({ isForReader }) => !isForReader),
  ];
}

function promotionItem(
  tenant: string,
  { id, model_name, to_version, status, status_message, created_by }: Promotion,
  reader: Reader,
  nameOf: (model: string, version: number) => string,
): WorkItem {
  // A second person decides: nobody approves what they asked for.
  const isForReader = status === 'WAITING_APPROVAL' && reader.mayApprove && created_by !== reader.id;
  const page = { to: '/t/$tenant/promotions/$promotionId', params: { tenant, promotionId: id } };
  const name = nameOf(model_name, to_version);
  return {
    key: `promotion ${id}`,
    kind: 'promotion',
    name,
    state: status,
    message: status_message,
    progress: null,
    isForReader,
    page,
  };
}

const endpointItem = (tenant: string, { name, status, status_message }: Endpoint): WorkItem => ({
  key: `endpoint ${name}`,
  kind: 'endpoint',
  name,
  state: status,
  message: status_message ?? '',
  progress: null,
  isForReader: false,
  page: { to: '/t/$tenant/serving/$endpoint', params: { tenant, endpoint: name } },
});

const trainingItem = (
  tenant: string,
  { id, name, status, status_message, progress }: Training,
): WorkItem => ({
  key: `training ${id}`,
  kind: 'training',
  name,
  state: status,
  message: status_message,
  progress: status === 'QUEUED' ? null : progress,
  isForReader: false,
  page: { to: '/t/$tenant/training/$experimentId', params: { tenant, experimentId: id } },
});

const validationItem = (
  tenant: string,
  { id, name, status, validation_progress: done }: Validation,
): WorkItem => ({
  key: `validation ${id}`,
  kind: 'validation',
  name,
  state: status,
  message: '',
  progress: done && done.total > 0 ? done.checked / done.total : null,
  isForReader: false,
  page: { to: '/t/$tenant/datasets/$datasetId', params: { tenant, datasetId: id } },
});

const syncItem = (
  tenant: string,
  { id, dataset_id, dataset_name, status, status_message, progress }: Sync,
): WorkItem => ({
  key: `sync ${id}`,
  kind: 'sync',
  name: dataset_name,
  state: status,
  message: status_message ?? '',
  progress: progress.percent / 100,
  isForReader: false,
  page: { to: '/t/$tenant/datasets/$datasetId', params: { tenant, datasetId: dataset_id } },
});

const deploymentItem = (
  tenant: string,
  { id, model_name, version, status, message, progress }: Deployment,
  nameOf: (model: string, version: number) => string,
): WorkItem => ({
  key: `deployment ${id}`,
  kind: 'deployment',
  name: nameOf(model_name, version),
  state: status,
  message,
  progress: status === 'PENDING' ? null : progress,
  isForReader: false,
  page: { to: '/t/$tenant/deployments/$deploymentId', params: { tenant, deploymentId: id } },
});
