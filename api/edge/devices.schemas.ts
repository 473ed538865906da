import type {
  DataDigest,
  InstantText,
  LineText,
  PageNumber,
  PageSize,
  SearchText,
} from '../http/routing/parameters.js';
import type { ModelName, VersionNumber } from '../registry/models.schemas.js';
import type { PolicyOut } from './policy.schemas.js';

/**
 * Id of a device, chosen by its users.
 * @pattern ^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$ must be 1 to 128 letters, digits, '.', '_' or '-', beginning with a letter or digit
 */
export type DeviceId = string;

/**
 * One line; blank is nothing.
 * @maxLength 200
 * @pattern ^(?:[^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff])*$ must be one line of text
 */
export type LocationText = string;

export type DeviceStatusName = 'PENDING' | 'ACTIVE' | 'STALE' | 'OFFLINE' | 'BLOCKED';

/**
 * One of `telemetry:write` (includes `commands:read` and `config:read`), `inference:write` (includes `uploads:write`),
 * `uploads:write`, `commands:read`, `config:read`, `models:read`, `container:pull`.
 * @maxLength 64
 */
export type ScopeText = string;

/** Unknown keys are dropped. */
export interface DeviceCreate {
  id: DeviceId;
  location?: LocationText | null;
  os?: LineText | null;
  sdk_version?: LineText | null;
  /**
   * `telemetry:write`, `inference:write`, `container:pull` and `models:read` when left out.
   * @maxItems 20
   */
  scopes?: ScopeText[] | null;
}

export interface DeviceUpdate {
  /** Null or blank clears it. */
  location: LocationText | null;
}

export interface ScopesUpdate {
  /** @maxItems 20 */
  scopes: ScopeText[];
}

export interface OfflineUpdate {
  blocked: boolean;
}

/** The token is shown this once. */
export interface DeviceTokenOut {
  id: string;
  token: string;
  scopes: string[];
  expires_at: string;
}

export interface SnapshotOut {
  cpu: number | null;
  gpu: number | null;
  mem: number | null;
  disk: number | null;
  last_heartbeat: string | null;
}

export interface DeviceContainerOut {
  name: string;
  image: string | null;
  status: string | null;
}

export interface InstalledModelOut {
  name: string;
  version: number;
  installed_at: string;
}

export interface DeviceOut {
  id: string;
  status: DeviceStatusName;
  blocked: boolean;
  location: string | null;
  os: string | null;
  sdk_version: string | null;
  scopes: string[];
  /** Null: its token was revoked. */
  token_expires_at: string | null;
  registered_at: string | null;
  snapshot: SnapshotOut;
  /** As its last heartbeat named them. */
  containers: DeviceContainerOut[];
  /** As the device named them when it registered, and reported deployments to be done since, by name. */
  models: InstalledModelOut[];
  policy: PolicyOut;
  created_at: string;
  updated_at: string;
  created_by: string | null;
}

export interface FleetCounts {
  PENDING: number;
  ACTIVE: number;
  STALE: number;
  OFFLINE: number;
  BLOCKED: number;
}

export interface LocationCount {
  /** Null: without one. */
  location: string | null;
  count: number;
}

export interface VersionCount {
  model: string;
  version: number;
  count: number;
}

export interface FleetPage {
  items: DeviceOut[];
  /** Exact up to 10,000. */
  total: number;
  /** True: there are more matches than `total`. */
  total_capped: boolean;
  /** `after` of the page that follows; null: this is the last. */
  next: string | null;
  page: number;
  page_size: number;
  /** Devices by status, of what the filters other than that by status leave. */
  counts: FleetCounts;
  /** Those with the most devices, at most 100. */
  locations: LocationCount[];
  /**
   * Versions in the field, of all devices of the tenant, at most 100: those of `model` where it is given, then those on the
   * most devices.
   */
  versions: VersionCount[];
}

export interface FleetQuery {
  status?: DeviceStatusName;
  /** Exactly this one. */
  location?: LocationText;
  /** Devices on which this model is installed. */
  model?: ModelName;
  /** Version of that model; goes with `model`. */
  version?: VersionNumber;
  /** Devices on which a version is installed that was made from data with this digest. */
  dataset_digest?: DataDigest;
  /** `next` of the page before; without `page`. */
  after?: PlaceText;
  page?: PageNumber;
  page_size?: PageSize;
  /** Part of the id. */
  q?: SearchText;
  /**
   * One of id, location, last_heartbeat, created_at.
   * @maxLength 64
   */
  sort?: string;
  order?: 'asc' | 'desc';
}

export interface RemovedOut {
  status: 'deleted';
  message: string;
}

/**
 * Where a list goes on.
 * @maxLength 2000
 */
export type PlaceText = string;

/**
 * `next_cursor` of the page before.
 * @maxLength 200
 */
export type CursorText = string;

/**
 * @isInt
 * @minimum 1
 * @maximum 1000
 */
export type FeedLimit = number;

export interface FeedPageQuery {
  cursor?: CursorText;
  /** 100 when left out. */
  limit?: FeedLimit;
  /** Received from this moment on, inclusive. */
  since?: InstantText;
  /** Received up to this moment, inclusive; now when left out. */
  until?: InstantText;
  /**
   * For charts: where the time from `since` to `until` has more than `limit` records, the last one of each of `limit` equal
   * parts of it, in the place of the newest. The answer is one page. For telemetry and predictions that is the time of
   * `ts`, so that what a device kept while it had no network stands where it was measured; where `ts` is ahead of the
   * receipt or more than 30 days behind it, the receipt counts. `total` is of how many they were chosen.
   */
  spread?: boolean;
}

export interface HeartbeatOut {
  id: string;
  at: string;
  cpu: number | null;
  gpu: number | null;
  mem: number | null;
  disk: number | null;
  payload: { [key: string]: unknown };
}

export interface HeartbeatFeed {
  items: HeartbeatOut[];
  /** Exact up to 10,000. */
  total: number;
  total_capped: boolean;
  next_cursor: string | null;
}
