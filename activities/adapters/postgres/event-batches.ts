import { MAX_EVENT_BYTES, type StreamEvent } from '../../../core/events/stream-event.js';

/** PostgreSQL refuses notifications of 8000 bytes and more. */
export const MAX_NOTIFY_BYTES = 7900;

/** Splits events into JSON arrays that each fit one notification, in order. An event too large becomes a bare hint. */
export function toBatches(events: readonly StreamEvent[]): string[] {
  const batches: string[] = [];
  let open: string[] = [];
  let size = 2;
  for (const event of events) {
    const text = encode(event);
    const bytes = Buffer.byteLength(text) + 1;
    if (size + bytes > MAX_NOTIFY_BYTES && open.length > 0) {
      batches.push(`[${open.join(',')}]`);
      open = [];
      size = 2;
    }
    open.push(text);
    size += bytes;
  }
  if (open.length > 0) batches.push(`[${open.join(',')}]`);
  return batches;
}

/** Watchers of a bare hint (`data: {}`) read the resource again. */
function encode(event: StreamEvent): string {
  const text = JSON.stringify(event);
  return Buffer.byteLength(text) <= MAX_EVENT_BYTES + 512 ? text : JSON.stringify({ ...event, data: {} });
}
