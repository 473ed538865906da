import { MAX_EVENT_BYTES, type StreamEvent } from '../../core/events/stream-event.js';

/** PostgreSQL refuses notifications of 8000 bytes and more. */
export const MAX_NOTIFY_BYTES = 7900;

/**
 * Splits events into JSON arrays that each fit one notification, in order. Each array begins with its number, because
 * PostgreSQL sends equal notifications of one transaction once only. An event too large becomes a bare hint.
 */
export function toBatches(events: readonly StreamEvent[]): string[] {
  const batches: string[][] = [];
  let size = MAX_NOTIFY_BYTES;
  for (const event of events) {
    const text = encode(event);
    const bytes = Buffer.byteLength(text) + 1;
    if (size + bytes > MAX_NOTIFY_BYTES) {
      const number = String(batches.length);
      batches.push([number]);
      size = number.length + 2;
    }
    batches.at(-1)?.push(text);
    size += bytes;
  }
  return batches.map((parts) => `[${parts.join(',')}]`);
}

/** Watchers of a bare hint (`data: {}`) read the resource again. */
function encode(event: StreamEvent): string {
  const text = JSON.stringify(event);
  return Buffer.byteLength(JSON.stringify(event.data)) <= MAX_EVENT_BYTES
    ? text
    : JSON.stringify({ ...event, data: {} });
}
