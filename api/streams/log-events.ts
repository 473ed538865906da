import { MAX_EVENT_BYTES, type StreamEvent } from '../../core/events/stream-event.js';

/** Reads the log text in `[from, to)`, offsets in bytes; may answer less. */
export type LogReader = (tenantId: string, id: string, from: number, to: number) => Promise<string>;

/** A longer range is not sent: its watchers get the bare offsets and read the log by REST. */
const MAX_RANGE_BYTES = 256 * 1024;
/** Room for id, time and offsets beside the lines. */
const LINES_BYTES = MAX_EVENT_BYTES - 300;

/** A `log` event carries offsets only; this puts the lines in, split so that each event stays within its limit. */
export async function withLogLines(event: StreamEvent, read: LogReader): Promise<StreamEvent[]> {
  const { from, to } = event.data as { from?: unknown; to?: unknown };
  if (
    event.tenantId === null ||
    typeof from !== 'number' ||
    typeof to !== 'number' ||
    to <= from ||
    to - from > MAX_RANGE_BYTES
  )
    return [event];
  const text = await read(event.tenantId, event.id, from, to);
  // Rows that have moved into the store meanwhile: the watcher reads them by REST.
  if (text === '') return [event];
  const { from: _from, to: _to, ...rest } = event.data as Record<string, unknown>;
  return groupLines(text).map((lines) => ({ ...event, data: { ...rest, lines } }));
}

/** Splits a text into lines and those into groups of limited size as JSON; a line too long is cut. */
export function groupLines(text: string): string[][] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const groups: string[][] = [];
  let open: string[] = [];
  let size = 0;
  for (const line of lines.map(cut)) {
    const bytes = Buffer.byteLength(JSON.stringify(line)) + 1;
    if (size + bytes > LINES_BYTES && open.length > 0) {
      groups.push(open);
      open = [];
      size = 0;
    }
    open.push(line);
    size += bytes;
  }
  if (open.length > 0) groups.push(open);
  return groups;
}

function cut(line: string): string {
  let kept = line;
  while (Buffer.byteLength(JSON.stringify(kept)) > LINES_BYTES)
    kept = kept.slice(0, Math.floor(kept.length * 0.8));
  return kept === line ? line : `${kept.slice(0, -1)}…`;
}
