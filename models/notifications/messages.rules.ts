import type { NotificationKindKey } from './notification-catalog.rules.js';
import type { NewNotification } from './notification.types.js';

type Message = NewNotification & { readonly kind: NotificationKindKey };

interface Named {
  readonly id: string;
  readonly name: string;
}

const EXPERIMENT_ENDS = {
  SUCCEEDED: { kind: 'experiment_finished', verb: 'finished' },
  FAILED: { kind: 'experiment_failed', verb: 'failed' },
  CANCELED: { kind: 'experiment_canceled', verb: 'was canceled' },
} as const;

const DELETIONS = {
  started: { kind: 'tenant_deletion_started', verb: 'has started' },
  done: { kind: 'tenant_deletion_done', verb: 'is done' },
  failed: { kind: 'tenant_deletion_failed', verb: 'failed' },
} as const;

interface Deployed {
  readonly id: string;
  readonly modelName: string;
  readonly version: number;
}

const ofDeployment = (
  { id, modelName, version }: Deployed,
  news: string,
  reason: string,
  startedBy: string | null,
): Message => ({
  kind: 'deployment_failed',
  subject: id,
  title: `Deployment of ${modelName} version ${version} ${news}`,
  body: reason,
  link: `/api/v1/deployments/${id}`,
  userId: startedBy,
});

/**
 * Notifications by what happened; each goes to `notify()` in the transaction of the change. Those of one kind and subject
 * are joined within an hour, in the texts of the latest: what says something else has another subject.
 */
export const messages = {
  /** @param createdBy who started it is notified whatever their role */
  experimentEnded: (
    experiment: Named & { readonly createdBy: string | null },
    status: keyof typeof EXPERIMENT_ENDS,
    message: string,
  ): Message => ({
    kind: EXPERIMENT_ENDS[status].kind,
    subject: experiment.id,
    title: `Experiment ${experiment.name} ${EXPERIMENT_ENDS[status].verb}`,
    body: message,
    link: `/api/v1/training/experiments/${experiment.id}`,
    userId: experiment.createdBy,
  }),

  stageChanged: (model: string, version: number, from: string, to: string, by: string | null): Message => ({
    kind: 'model_stage_changed',
    subject: `${model}/${version} ${to}`,
    title: `${model} version ${version} is now ${stageText(to)}`,
    body: `${by ?? 'The platform'} moved it from ${stageText(from)} to ${stageText(to)}.`,
    link: versionLink(model, version),
    userId: null,
  }),

  promotionRequested: (model: string, version: number, by: string | null): Message => ({
    kind: 'promotion_requested',
    subject: `${model}/${version}`,
    title: `Promotion of ${model} version ${version} was requested`,
    body: `${by ?? 'The platform'} asks to put it into Production.`,
    link: versionLink(model, version),
    userId: null,
  }),

  /**
   * Another outcome of the same promotion is other news.
   * @param requestedBy is notified whatever their role @param outcome such as `was approved`
   */
  promotionDecided: (
    promotionId: string,
    model: string,
    version: number,
    outcome: string,
    reason: string,
    requestedBy: string | null,
  ): Message => ({
    kind: 'promotion_decided',
    subject: `${promotionId} ${outcome}`,
    title: `Promotion of ${model} version ${version} ${outcome}`,
    body: reason,
    link: versionLink(model, version),
    userId: requestedBy,
  }),

  /** @param dataset.createdBy is notified whatever their role */
  datasetValidated: (dataset: Named & { readonly createdBy: string | null }, files: number): Message => ({
    kind: 'dataset_validated',
    subject: dataset.id,
    title: `Dataset ${dataset.name} is valid and frozen`,
    body: `${files} ${files === 1 ? 'file' : 'files'} passed.`,
    link: datasetLink(dataset.id),
    userId: dataset.createdBy,
  }),

  /** @param dataset.createdBy is notified whatever their role */
  datasetInvalid: (dataset: Named & { readonly createdBy: string | null }): Message => ({
    kind: 'dataset_invalid',
    subject: dataset.id,
    title: `Dataset ${dataset.name} failed its validation`,
    body: 'Its validation report says why.',
    link: datasetLink(dataset.id),
    userId: dataset.createdBy,
  }),

  /** @param startedBy is notified whatever their role; null for a schedule */
  datasetSyncFailed: (dataset: Named, reason: string, startedBy: string | null): Message => ({
    kind: 'dataset_sync_failed',
    subject: dataset.id,
    title: `Dataset ${dataset.name} could not be synchronised`,
    body: reason,
    link: datasetLink(dataset.id),
    userId: startedBy,
  }),

  deploymentFailed: (deployment: Deployed, reason: string, startedBy: string | null): Message =>
    ofDeployment(deployment, 'failed', reason, startedBy),

  deploymentUnmeasured: (deployment: Deployed, reason: string, startedBy: string | null): Message =>
    ofDeployment(deployment, 'is not watched', reason, startedBy),

  deploymentPaused: (deployment: Deployed, reason: string, startedBy: string | null): Message =>
    ofDeployment(deployment, 'is paused', reason, startedBy),

  alertFired: (alert: {
    readonly id: string;
    readonly rule: string;
    readonly severity: string;
    readonly summary: string;
  }): Message => ({
    kind: 'alert_fired',
    subject: alert.id,
    title: `Alert ${alert.rule} fired (${alert.severity})`,
    body: alert.summary,
    link: `/api/v1/alerts/${alert.id}`,
    userId: null,
  }),

  /** For `notify(tx, tenant of the token, ...)`. */
  tokenExpiring: (token: Named & { readonly userId: string; readonly expiresAt: Date }): Message => ({
    kind: 'token_expiring',
    subject: token.id,
    title: `Your access token ${token.name} expires on ${token.expiresAt.toISOString().slice(0, 10)}`,
    body: 'Make a new one before that day and put it where the old one is used.',
    link: '/users/me/tokens',
    userId: token.userId,
  }),

  deviceTokenExpiring: (device: string, expiresAt: Date): Message => ({
    kind: 'device_token_expiring',
    subject: device,
    title: `The token of device ${device} expires on ${expiresAt.toISOString().slice(0, 10)}`,
    body: 'Rotate it before that day and give the new one to the device.',
    link: `/api/v1/edge/devices/${encodeURIComponent(device)}`,
    userId: null,
  }),

  /** For `notify(tx, null, ...)`: the tenant's own rows go with it. */
  tenantDeletion: (
    tenant: Named & { readonly code: string; readonly deletionId: string },
    state: keyof typeof DELETIONS,
    detail: string,
  ): Message => ({
    kind: DELETIONS[state].kind,
    subject: tenant.id,
    title: `Deletion of tenant ${tenant.code} ${DELETIONS[state].verb}`,
    body: detail,
    link: `/api/v1/settings/tenants/deletions/${tenant.deletionId}`,
    userId: null,
  }),
} as const;

const stageText = (stage: string): string => (stage === 'None' ? 'without a stage' : `in ${stage}`);
const versionLink = (model: string, version: number): string =>
  `/api/v1/models/${encodeURIComponent(model)}/versions/${version}`;
const datasetLink = (key: string): string => `/api/v1/datasets/${encodeURIComponent(key)}`;
