import type { DeviceStep } from './deployment.types.js';

/** Where a device of a deployment is now. */
export interface DeviceMove {
  readonly deploymentId: string;
  readonly deviceKey: string;
  readonly step: DeviceStep;
  /** Within the step, from 0 to 1; null where the device does not say. */
  readonly progress: number | null;
  readonly message: string | null;
}
