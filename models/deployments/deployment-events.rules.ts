import type { StreamEvent } from '../../core/events/stream-event.js';
import type { DeploymentView } from './deployment-view.rules.js';
import type { DeviceMove } from './follow-command.types.js';

/** For those who watch a deployment: how it is now. */
export const deploymentEvent = (tenantId: string, { row, progress }: DeploymentView): StreamEvent => ({
  ...{ stream: 'deployments', tenantId, id: row.id, event: 'deployment' },
  data: { status: row.status, progress, message: row.statusMessage },
});

/** Where one of its devices is now. */
export const deviceStepEvent = (tenantId: string, move: DeviceMove): StreamEvent => ({
  ...{ stream: 'deployments', tenantId, id: move.deploymentId, event: 'step' },
  data: {
    ...{ device_id: move.deviceKey, step: move.step, progress: move.progress, message: move.message },
    status: statusOf(move.step),
  },
});

const ENDS: Readonly<Record<string, string>> = {
  succeeded: 'done',
  failed: 'failed',
  canceled: 'failed',
  queued: 'pending',
};
const statusOf = (step: string): string => ENDS[step] ?? 'running';
