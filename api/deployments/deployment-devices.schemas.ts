import type { CursorText, DeviceId, FeedLimit, PlaceText } from '../edge/devices.schemas.js';
import type { PageNumber, PageSize } from '../http/routing/parameters.js';
import type { DeviceStepName } from './deployments.schemas.js';

export interface DeploymentDeviceOut {
  device_id: string;
  /** From 1. */
  group: number;
  step: DeviceStepName;
  /** Within the step, from 0 to 1; null where the device does not say. */
  progress: number | null;
  message: string | null;
  /** What was installed before; null: nothing that the platform knows of. */
  from_version: number | null;
  /** What it gets: the version before, once the deployment is rolled back. */
  version: number;
  rollback: boolean;
  started_at: string | null;
  finished_at: string | null;
}

export interface DeploymentDevicePage {
  items: DeploymentDeviceOut[];
  /** Exact up to 10,000. */
  total: number;
  /** True: there are more matches than `total`. */
  total_capped: boolean;
  /** `after` of the page that follows; null: this is the last. */
  next: string | null;
  page: number;
  page_size: number;
}

export interface DeploymentDeviceQuery {
  step?: DeviceStepName;
  /** `next` of the page before; without `page`. */
  after?: PlaceText;
  page?: PageNumber;
  page_size?: PageSize;
}

export interface DeploymentLogOut {
  at: string;
  /** Null: of the deployment as a whole. */
  step: DeviceStepName | null;
  device_id: string | null;
  message: string;
}

/** Oldest first. */
export interface DeploymentLogList {
  items: DeploymentLogOut[];
  /** On all pages. */
  total: number;
  /** Cursor of the lines before these; null: there are none. */
  next_cursor: string | null;
}

export interface DeploymentLogQuery {
  /** Lines of devices that came to this step alone. */
  step?: DeviceStepName;
  /** Lines of this device alone. */
  device_id?: DeviceId;
  cursor?: CursorText;
  /** 1,000 when left out. */
  limit?: FeedLimit;
}
