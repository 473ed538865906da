export const ENDPOINT_STATUSES = [
  'CREATING',
  'CONNECTING',
  'RUNNING',
  'DEGRADED',
  'FAILED',
  'STOPPED',
] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

/** What people asked for last: keep it up, bring it down, remove it; none = it failed and waits for a decision. */
export type EndpointWish = 'run' | 'stop' | 'delete' | 'none';

/** Last smoke of an endpoint on its validation dataset, as it is stored and shown. */
export type EndpointValidation = Readonly<Record<string, unknown>>;

export interface EndpointRow {
  readonly id: string;
  readonly name: string;
  readonly imageId: string;
  /** `<tenant code>/<name>` and digest of the image. */
  readonly repository: string;
  readonly manifestDigest: string | null;
  /** Licence of the model version in the image; see `ModelVersionRow`. */
  readonly licence: string | null;
  /** Its version is the one in the image; null for an image that holds none that is known. */
  readonly modelName: string | null;
  readonly modelVersion: number | null;
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly gpu: number;
  readonly status: EndpointStatus;
  readonly statusMessage: string | null;
  readonly wish: EndpointWish;
  readonly revision: number;
  readonly attempt: number;
  readonly workloadId: string;
  /** Sealed; opened only to start the workload and to call it. */
  readonly sealedCredential: string;
  /** Base URLs of the instances that answered the last check. */
  readonly instances: readonly string[];
  readonly validationDatasetId: string | null;
  readonly validation: EndpointValidation | null;
  readonly lastHeartbeatAt: Date | null;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
