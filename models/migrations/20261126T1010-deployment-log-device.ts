import { ConcurrentIndex } from './concurrent-index.js';

/** The lines about one device, of a deployment to thousands. */
export class DeploymentLogDevice extends ConcurrentIndex {
  protected readonly index = 'deployment_log_device_idx';
  protected readonly definition = 'on deployment_log (tenant_id, deployment_id, device_key, id)';
}
