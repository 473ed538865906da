import type { StreamEvent } from '../../core/events/stream-event.js';

/** How a stream learns that its subject has ended. */
export interface StreamEnding {
  /** The state in which it has ended already, or null. Asked once the stream is open, so that no end falls between. */
  readonly find: () => Promise<StreamEvent | null>;
  /** True for the event after which nothing follows. */
  readonly isLast: (event: StreamEvent) => boolean;
}

/** Where an event goes: watchers of the same stream, tenant and resource. */
export const streamKey = (place: Pick<StreamEvent, 'stream' | 'tenantId' | 'id'>): string =>
  `${place.stream}:${place.tenantId ?? ''}:${place.id}`;

/** What a notification holds; anything else is dropped, because whoever may NOTIFY must not stop the fan-out. */
export function parseEvents(payload: string): StreamEvent[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(payload);
  } catch {
    return [];
  }
  return Array.isArray(parsed) ? parsed.filter(isEvent) : [];
}

function isEvent(value: unknown): value is StreamEvent {
  const event = value as Partial<StreamEvent> | null;
  return (
    typeof event?.stream === 'string' &&
    typeof event.id === 'string' &&
    typeof event.event === 'string' &&
    /^[a-z_]{1,40}$/.test(event.event) &&
    typeof event.data === 'object' &&
    event.data !== null
  );
}

/** What the client gets: the resource's id and the time stand in every event; the data may name a more precise id. */
export const clientData = (event: StreamEvent, now: Date): Record<string, unknown> => ({
  id: event.id,
  at: now.toISOString(),
  ...event.data,
});
