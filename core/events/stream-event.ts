/** What a stream of server-sent events is about; part of its wire format. */
export type StreamKind =
  | 'alerts'
  | 'notifications'
  | 'deployments'
  | 'edge'
  | 'experiment-logs'
  | 'tenant-deletions';

/**
 * One event for the watchers of a resource. `data` is thin: it says what changed, at most 4 KiB as JSON, and always
 * carries `id` (the resource) and `at` when it reaches the client.
 */
export interface StreamEvent {
  readonly stream: StreamKind;
  /** Null for streams without a tenant (notifications, tenant deletions). */
  readonly tenantId: string | null;
  /** Id of the watched resource; for notifications the user, for alerts the tenant (`data.id` then names the thing). */
  readonly id: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** PostgreSQL notification channel that carries events from every process to the API processes. */
export const EVENTS_CHANNEL = 'visionops_events';

export const MAX_EVENT_BYTES = 4096;
