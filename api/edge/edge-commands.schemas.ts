import type { PageNumber, PageSize } from '../http/routing/parameters.js';
import type { PlaceText } from './devices.schemas.js';

export type CommandStateName = 'pending' | 'delivered' | 'succeeded' | 'failed' | 'expired';

export interface CommandCreate {
  /**
   * What the device's agent knows, such as `restart`. Not `deploy`: a deployment is created by POST /api/v1/deployments, which
   * follows it.
   * @pattern ^[A-Za-z0-9][A-Za-z0-9._:\-]{0,63}$ must be 1 to 64 letters, digits, '.', '_', ':' or '-'
   * @maxLength 64
   */
  type: string;
  /** At most 64 KiB of JSON. */
  args?: { [key: string]: unknown };
  /**
   * Not delivered later than that; null or left out: never expires.
   * @isInt
   * @minimum 1
   * @maximum 31536000
   */
  expires_in_s?: number | null;
}

export interface CommandOut {
  id: string;
  type: string;
  args: { [key: string]: unknown };
  state: CommandStateName;
  expires_at: string | null;
  /** How often it was delivered. */
  deliveries: number;
  delivered_at: string | null;
  /** What the device said last while it was at it. */
  progress: { [key: string]: unknown } | null;
  result: { [key: string]: unknown } | null;
  finished_at: string | null;
  created_at: string;
  updated_at: string;
  created_by: string | null;
}

export interface CommandPage {
  items: CommandOut[];
  /** Exact up to 10,000. */
  total: number;
  /** True: there are more matches than `total`. */
  total_capped: boolean;
  /** `after` of the page that follows; null: this is the last. */
  next: string | null;
  page: number;
  page_size: number;
}

export interface CommandQuery {
  state?: CommandStateName;
  /** `next` of the page before; without `page`. */
  after?: PlaceText;
  page?: PageNumber;
  page_size?: PageSize;
}

export interface DeliveredCommandOut {
  id: string;
  type: string;
  args: { [key: string]: unknown };
  created_at: string;
  expires_at: string | null;
  /** Acknowledge it by then, or say that it is running; otherwise it is delivered again. */
  lease_until: string;
  /** How often it was delivered, this time included: a device that died on it may give it up by this. */
  deliveries: number;
}

export interface DeliveredCommandsOut {
  items: DeliveredCommandOut[];
  total: number;
}

/**
 * Seconds; above 60 is cut to 60.
 * @isInt
 * @minimum 0
 * @maximum 2147483647
 */
export type WaitSeconds = number;

export interface CommandAck {
  /** `running` renews the lease and is not final; its `result` is `{step, progress?, message?}`. */
  status: 'succeeded' | 'failed' | 'running';
  /** At most 64 KiB of JSON. */
  result?: { [key: string]: unknown } | null;
}
