import type { RollbackCondition } from '../registry/promotion/promotion.types.js';

export const DEPLOYMENT_STATUSES = [
  'PENDING',
  'IN_PROGRESS',
  'PAUSED',
  'SUCCEEDED',
  'FAILED',
  'ABORTED',
  'ROLLING_BACK',
  'ROLLED_BACK',
] as const;
export type DeploymentStatus = (typeof DEPLOYMENT_STATUSES)[number];

/** Nothing more happens by itself, but for a deployment whose conditions are watched. */
export const OVER_STATUSES: readonly DeploymentStatus[] = ['SUCCEEDED', 'FAILED', 'ABORTED', 'ROLLED_BACK'];

/** `replace`: all devices at once. `canary`: a tenth of them first, the others once that has succeeded. */
export const STRATEGIES = ['replace', 'canary'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** Where a device is, from what it reports. `canceled`: it was not asked any more. */
export const DEVICE_STEPS = [
  'queued',
  'downloading',
  'installing',
  'verifying',
  'succeeded',
  'failed',
  'canceled',
] as const;
export type DeviceStep = (typeof DEVICE_STEPS)[number];

/** What a device reports while it is at it. */
export const REPORTED_STEPS = ['downloading', 'installing', 'verifying'] as const;
export type ReportedStep = (typeof REPORTED_STEPS)[number];

/** What somebody asked for; the durable work moves the status accordingly. */
export const WISHES = ['pause', 'resume', 'abort', 'retry', 'rollback'] as const;
export type Wish = (typeof WISHES)[number];

/** A share of the devices. Percentages are of the devices of the group, thresholds from 0 to 100. */
export interface Group {
  /** Devices. */
  readonly size: number;
  /** The next group begins once so many percent have succeeded. */
  readonly successThreshold: number;
  /** The deployment fails once more than so many percent have failed. */
  readonly errorThreshold: number;
}

/** A group as somebody states it; without a size it takes what is left. */
export interface GroupWish {
  readonly size: number | null;
  /** Share of all devices of the deployment. */
  readonly percent: number | null;
  readonly successThreshold: number;
  readonly errorThreshold: number;
}

/** Times of each day within which devices may begin, such as 22:00 to 06:00 in Europe/Berlin. */
export interface Window {
  readonly from: string;
  readonly to: string;
  /** Name of the IANA time zone database. */
  readonly tz: string;
}

/** Which devices; all conditions hold. Null or empty: whichever. */
export interface Targets {
  readonly ids: readonly string[] | null;
  readonly location: string | null;
  readonly os: string | null;
  /** Version of the same model that the platform knows to be installed. */
  readonly currentVersion: number | null;
}

export interface DeploymentRow {
  readonly id: string;
  readonly modelId: string;
  readonly modelName: string;
  readonly version: number;
  readonly previousVersion: number | null;
  readonly datasetDigest: string | null;
  /** Licence of the version; null also once that is deleted. */
  readonly licence: string | null;
  readonly targetDevice: string | null;
  readonly targets: Targets | null;
  readonly strategy: Strategy;
  readonly image: string | null;
  readonly groups: readonly Group[];
  readonly maintenanceWindow: Window | null;
  readonly rollbackOn: readonly RollbackCondition[];
  readonly status: DeploymentStatus;
  readonly statusMessage: string;
  /** The group that is being worked on, from 0. */
  readonly currentGroup: number;
  readonly isWatched: boolean;
  /** When its rollback conditions were measured last; null: never. */
  readonly measuredAt: Date | null;
  /** When that was tried last; null: never. */
  readonly measureTriedAt: Date | null;
  readonly wish: Wish | null;
  readonly attempt: number;
  readonly requestedByName: string | null;
  readonly createdBy: string | null;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** How many devices of a group are where. */
export interface StepCount {
  readonly groupNo: number;
  readonly step: DeviceStep;
  /** Where it was when it failed; null for one that did not fail. */
  readonly failedStep: DeviceStep | null;
  readonly count: number;
}
