import { CONTROL_QUEUE } from '../../core/events/task-queues.js';
import type { WorkflowStart } from '../../core/ports/workflow-engine.js';
import type { AttemptRef } from './experiment.types.js';

/** The durable work of training, shared by those who ask for it and those who do it. */
export const TRAINING_WORKFLOW = 'trainingExperiment';

/** The status of the job has changed: look at it. Carries nothing. */
export const WORKLOAD_SIGNAL = 'workload';

/** The build of the trained model's image has ended: look at it. Carries nothing. */
export const IMAGE_SIGNAL = 'image';

export const trainingWorkflowId = (ref: AttemptRef): string =>
  `training:${ref.tenantId}:${ref.experimentId}:${ref.attempt}`;

export const trainingStart = (ref: AttemptRef): WorkflowStart => ({
  workflowType: TRAINING_WORKFLOW,
  workflowId: trainingWorkflowId(ref),
  taskQueue: CONTROL_QUEUE,
  input: ref,
  tenantId: ref.tenantId,
});

/** What the workflow needs to know of the attempt that begins. */
export interface BegunAttempt {
  /** Machine of the worker that answered; attempts that 0.1 began ask its queue. */
  readonly host: string;
  readonly registers: boolean;
  readonly buildsImage: boolean;
  readonly createsEndpoint: boolean;
}

/** How the job ended. */
export interface JobOutcome {
  readonly succeeded: boolean;
  /** One line for people. */
  readonly message: string;
}

/** How an attempt ends. */
export interface AttemptEnd {
  /** LOST: nothing works on it any more. It has failed, or is canceled where somebody asked for that. */
  readonly status: 'SUCCEEDED' | 'FAILED' | 'CANCELED' | 'LOST';
  /** One line for people. */
  readonly message: string;
}

/** A version that an attempt registered. */
export interface RegisteredVersion {
  readonly versionId: string;
  readonly modelName: string;
  readonly version: number;
}
