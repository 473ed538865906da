import type { DeviceId, LocationText } from '../edge/devices.schemas.js';
import type { LineText, PageNumber, PageSize, Uuid } from '../http/routing/parameters.js';
import type { ModelName, VersionNumber } from '../registry/models.schemas.js';
import type { RollbackConditionBody, RollbackConditionOut } from '../registry/promotions.schemas.js';

export type DeploymentStatusName =
  | 'PENDING'
  | 'IN_PROGRESS'
  | 'PAUSED'
  | 'SUCCEEDED'
  | 'FAILED'
  | 'ABORTED'
  | 'ROLLING_BACK'
  | 'ROLLED_BACK';

export type DeploymentStrategy = 'replace' | 'canary';

/** Step of one device: `canceled` means that it was not asked any more. */
export type DeviceStepName =
  | 'queued'
  | 'downloading'
  | 'installing'
  | 'verifying'
  | 'succeeded'
  | 'failed'
  | 'canceled';

/** Which devices; every condition that is given must hold. Without any: all devices of the tenant. */
/**
 * At least one of its keys. Closed, as the whole body is: a misspelt key must not select the whole fleet. The index signature
 * lets the key reach the check that says so; the published description states additionalProperties: false.
 */
export interface TargetsBody {
  /** @maxItems 10000 */
  ids?: DeviceId[] | null;
  location?: LocationText | null;
  os?: LineText | null;
  /** Devices on which this version of the same model is installed. */
  current_version?: VersionNumber | null;
  [key: string]: unknown;
}

/** One after the other. A group without size and percent takes the devices that are left, as the last one always does. */
export interface GroupBody {
  /**
   * Devices.
   * @isInt
   * @minimum 1
   * @maximum 100000
   */
  size?: number | null;
  /**
   * Size of the group as a share of all devices of the deployment, at least one device.
   * @minimum 0
   * @maximum 100
   */
  percent?: number | null;
  /**
   * The next group begins once so many percent of this one have succeeded. The deployment fails where all have ended and fewer
   * have; 100 excepts those that `error_threshold` lets fail.
   * @minimum 0
   * @maximum 100
   * @default 100
   */
  success_threshold?: number;
  /**
   * The deployment fails once more than so many percent of this group have failed.
   * @minimum 0
   * @maximum 100
   * @default 0
   */
  error_threshold?: number;
}

/** Each day; devices begin within it only. `from` after `to`: over midnight. */
export interface WindowBody {
  /**
   * Time of day.
   * @maxLength 5
   * @pattern ^([01][0-9]|2[0-3]):[0-5][0-9]$ must be a time of day such as 22:00
   */
  from: string;
  /**
   * @maxLength 5
   * @pattern ^([01][0-9]|2[0-3]):[0-5][0-9]$ must be a time of day such as 06:00
   */
  to: string;
  /**
   * Name of the IANA time zone database, such as `Europe/Berlin`.
   * @minLength 1
   * @maxLength 64
   */
  tz: string;
}

/** An unknown key is refused: a misspelt selection must not stand for the whole fleet. */
export interface DeploymentCreate {
  model_name: ModelName;
  version: VersionNumber;
  /** One device; null: those of `targets`. */
  target_device_id?: DeviceId | null;
  /** A selection in place of one device. Neither: all devices of the tenant. */
  targets?: TargetsBody | null;
  /**
   * `replace`: all devices at once. `canary`: a tenth of them first. Groups, where they are given, say it instead.
   * @default "replace"
   */
  strategy?: DeploymentStrategy;
  /**
   * Reference of a container image that devices run in place of the model's own.
   * @maxLength 512
   * @pattern ^[a-zA-Z0-9][a-zA-Z0-9._:/@\-]*$ must be a reference of an image
   */
  image?: string | null;
  /** What a rollback installs; null: on each device what was installed before. */
  previous_version?: VersionNumber | null;
  /** @maxItems 20 */
  groups?: GroupBody[] | null;
  window?: WindowBody | null;
  /**
   * Each rolls the deployment back by itself when it holds for these devices: `error_rate` (0 to 1, of the results that have
   * an `error`), `latency_p50_ms`, `latency_p95_ms` and `confidence_mean` from at least 30 inference records, `requests`
   * from any number. Watched while it runs, then for the longest `for` and a day more; a group is watched for the longest
   * `for` before the next one begins.
   * @maxItems 20
   */
  rollback_on?: RollbackConditionBody[] | null;
  [key: string]: unknown;
}

export interface TargetsOut {
  ids: string[] | null;
  location: string | null;
  os: string | null;
  current_version: number | null;
}

export interface DeploymentGroupOut {
  /** From 1. */
  number: number;
  /** Devices. */
  size: number;
  success_threshold: number;
  error_threshold: number;
  status: 'waiting' | 'running' | 'done' | 'failed';
  succeeded: number;
  failed: number;
}

/** What devices go through, in this order. */
export interface DeploymentStepOut {
  step: 'queued' | 'downloading' | 'installing' | 'verifying';
  status: 'pending' | 'running' | 'done' | 'failed';
  message: string;
  /** Devices that are in it now. */
  at: number;
  /** Devices that have left it behind. */
  done: number;
  /** Devices that failed in it. */
  failed: number;
}

export interface DeploymentWindowOut {
  from: string;
  to: string;
  tz: string;
}

/** Devices that a rollback treats alike. */
export interface RollbackWayOut {
  /** What they have. */
  from: number;
  /** What they get; null: they keep what they have. */
  to: number | null;
  count: number;
}

export interface DeploymentOut {
  id: string;
  model_name: string;
  version: number;
  /** What a rollback installs; null: on each device what was installed before. */
  previous_version: number | null;
  target_device_id: string | null;
  /** Null where one device is named. */
  targets: TargetsOut | null;
  strategy: DeploymentStrategy;
  image: string | null;
  status: DeploymentStatusName;
  /** From 0 to 1: devices that are done. */
  progress: number;
  /** What is under way, or why it ended. */
  message: string;
  steps: DeploymentStepOut[];
  groups: DeploymentGroupOut[];
  device_count: number;
  /** What a rollback would do now, by versions; empty where none can be asked for, left out in lists. */
  rollback?: RollbackWayOut[];
  window: DeploymentWindowOut | null;
  rollback_on: RollbackConditionOut[];
  /** Its rollback conditions are being looked at. */
  watched: boolean;
  /** sha256 of the manifest of the data that the version was trained with; null where that is not known. */
  dataset_digest: string | null;
  /** SPDX identifier of the licence that the version's framework puts it under; null where that asks for nothing. */
  licence: string | null;
  started_at: string | null;
  finished_at: string | null;
  requested_by_name: string | null;
  created_at: string;
  updated_at: string;
  created_by: string | null;
}

export interface DeploymentPage {
  items: DeploymentOut[];
  total: number;
  page: number;
  page_size: number;
}

export interface DeploymentList {
  items: DeploymentOut[];
  total: number;
}

export interface DeploymentQuery {
  status?: DeploymentStatusName;
  /** Name of a model. */
  model?: ModelName;
  /** Version of that model; goes with `model`. */
  version?: VersionNumber;
  /** Id of a device that takes part. */
  device?: DeviceId;
  page?: PageNumber;
  page_size?: PageSize;
}

export type DeploymentId = Uuid;
