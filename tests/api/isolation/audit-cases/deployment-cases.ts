import { DEPLOYMENT_FACTORY } from '../../deployments/support/deployment-factory.js';
import { DEVICE_FACTORY } from '../../edge/support/device-factory.js';
import { MODEL_FACTORY } from '../../registry/support/model-factory.js';
import { type AuditedCase, onNew, type Prepare } from './audit-case.js';

const inStatus =
  (status: string): Prepare =>
  async (at) => {
    const values = await at.make(DEPLOYMENT_FACTORY);
    await at.set('update deployment set status = $2 where id = $1', [values.deployment_id, status]);
    return { values, leaves: true };
  };

export const DEPLOYMENT_CASES: Readonly<Record<string, AuditedCase>> = {
  'POST /api/v1/deployments': {
    action: 'deployment.create',
    prepare: async (at) => {
      const { name = '' } = await at.make(MODEL_FACTORY);
      const { device_id = '' } = await at.make(DEVICE_FACTORY);
      return { json: { model_name: name, version: 1, target_device_id: device_id } };
    },
  },
  'POST /api/v1/deployments/{deployment_id}/rollback': {
    action: 'deployment.rollback',
    prepare: async (at) => ({ ...(await onNew(DEPLOYMENT_FACTORY)(at)), leaves: true }),
  },
  'POST /api/v1/deployments/{deployment_id}/retry-failed': {
    action: 'deployment.retry',
    prepare: inStatus('FAILED'),
  },
  'POST /api/v1/deployments/{deployment_id}/pause': {
    action: 'deployment.pause',
    prepare: inStatus('IN_PROGRESS'),
  },
  'POST /api/v1/deployments/{deployment_id}/resume': {
    action: 'deployment.resume',
    prepare: inStatus('PAUSED'),
  },
  'POST /api/v1/deployments/{deployment_id}/abort': {
    action: 'deployment.abort',
    prepare: inStatus('IN_PROGRESS'),
  },
};
