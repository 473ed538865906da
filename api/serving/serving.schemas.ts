/**
 * DNS-1123 label.
 * @pattern ^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$ must be 1 to 50 lower-case letters, digits or '-', with a letter or digit at both ends
 */
export type EndpointName = string;

/**
 * @isInt
 * @minimum 1
 * @maximum 32
 */
export type Replicas = number;

export interface EndpointOut {
  name: string;
  image_id: string;
  image_ref: string | null;
  /** SPDX identifier of the licence that the framework of its model puts it under; null where that asks for nothing. */
  licence: string | null;
  /** The registered model that its image was built of; null where that is not known. */
  model_name: string | null;
  model_version: number | null;
  /** Wanted while it runs; kept while it is stopped. */
  replicas: number;
  /** Instances that answered the last check. */
  ready_replicas: number;
  /** GPU slots of each instance; 0 serves on the CPU. */
  gpu: number;
  status: 'CREATING' | 'CONNECTING' | 'RUNNING' | 'DEGRADED' | 'FAILED' | 'STOPPED';
  /** What is under way or why it is in this state. */
  status_message: string | null;
  /** Base of the proxied paths: `ping`, `health`, `version`, `invocations`. */
  url: string;
  validation_dataset_id: string | null;
  /** Last smoke on the validation dataset. */
  validation: { [key: string]: unknown } | null;
  last_heartbeat_at: string | null;
  created_at: string;
  updated_at: string;
  created_by: string | null;
}

export interface EndpointList {
  items: EndpointOut[];
  total: number;
}

export interface CreateEndpointBody {
  name: EndpointName;
  /**
   * A model image in state READY.
   * @pattern ^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$ must be a UUID
   * @format uuid
   */
  image_id: string;
  /** Default 1. */
  replicas?: Replicas;
  /**
   * GPU slots of each instance, from the tenant's wired share; default 0.
   * @isInt
   * @minimum 0
   * @maximum 64
   */
  gpu?: number;
  /** @maxLength 128 */
  validation_dataset_id?: string | null;
}

export interface UpdateEndpointBody {
  /** Use stop for 0. */
  replicas: Replicas;
}

export interface EndpointDeletion {
  status: 'deleted' | 'deleting';
  message: string;
  name: string;
}

export interface EndpointLogs {
  name: string;
  /** 0-based instance the text is of. */
  instance: number;
  /** The end of stdout and stderr, oldest first. */
  text: string;
}
