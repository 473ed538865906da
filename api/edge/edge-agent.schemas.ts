import type { LineText } from '../http/routing/parameters.js';
import type { ModelName, VersionNumber } from '../registry/models.schemas.js';
import type { DeviceStatusName, LocationText } from './devices.schemas.js';
import type { DeviceConfigOut } from './policy.schemas.js';

/** What is left out stays as it is. */
export interface RegisterBody {
  os?: LineText | null;
  sdk_version?: LineText | null;
  location?: LocationText | null;
  /**
   * All that it has installed, each model once: what was known of it is brought in line. Models that the platform does not
   * have are left out.
   * @maxItems 1000
   */
  models?: RegisteredModel[] | null;
}

export interface RegisteredModel {
  name: ModelName;
  version: VersionNumber;
}

export interface RegisteredOut {
  id: string;
  status: DeviceStatusName;
  config: DeviceConfigOut;
}

/**
 * @minimum -1000000000000
 * @maximum 1000000000000
 */
export type Measured = number;

export interface HeartbeatBody {
  cpu?: Measured | null;
  gpu?: Measured | null;
  mem?: Measured | null;
  disk?: Measured | null;
  /** Anything else, at most 64 KiB of JSON; `containers` as a list of `{name, image, status}` is shown with the device. */
  payload?: { [key: string]: unknown };
  /**
   * Revision of the policy that the device follows.
   * @isInt
   * @minimum 0
   * @maximum 2147483647
   */
  policy_revision?: number | null;
}

export interface HeartbeatReceipt {
  status: 'ok';
  received_at: string;
  /**
   * Revision of the policy that holds for the device: it reads its configuration where it follows another one.
   * @isInt
   */
  policy_revision: number;
}

/**
 * @isInt
 * @minimum 0
 * @maximum 2147483647
 */
export type PolicyRevision = number;
