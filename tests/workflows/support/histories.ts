import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Stored histories live beside the sources; the compiled tests read and write them there. */
export const historiesFolder = new URL('../../../../tests/workflows/histories/', import.meta.url);

export interface StoredHistory {
  readonly type: string;
  readonly name: string;
  readonly json: HistoryJson;
}

export interface HistoryJson {
  readonly events: HistoryEvent[];
}

interface HistoryEvent {
  readonly eventId: string;
  readonly eventType: string;
  activityTaskScheduledEventAttributes?: { activityType: { name: string } };
  [key: string]: unknown;
}

export function storedHistories(): StoredHistory[] {
  const root = fileURLToPath(historiesFolder);
  if (!existsSync(root)) return [];
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: type }) =>
      readdirSync(new URL(`${type}/`, historiesFolder))
        .filter((file) => file.endsWith('.json'))
        .map((file) => ({ type, name: file.slice(0, -5), json: JSON.parse(readFileSync(new URL(`${type}/${file}`, historiesFolder), 'utf8')) as HistoryJson })),
    );
}

/** A history as it is stored: without names of machines and processes. */
export function scrubbed(json: string): string {
  const clean = (value: unknown, key: string): unknown => {
    if (key === 'identity') return 'worker';
    // Frames name the folders of the machine that recorded; replay does not look at them.
    if (key === 'stackTrace' && typeof value === 'string') return value.split('\n', 1)[0];
    if (Array.isArray(value)) return value.map((each) => clean(each, ''));
    if (value === null || typeof value !== 'object') return value;
    const fields = value as Record<string, unknown>;
    // A sticky queue is named after the machine; replay does not look at it.
    if (key === 'taskQueue' && fields.kind === 'TASK_QUEUE_KIND_STICKY') return { ...fields, name: 'sticky' };
    return Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, clean(each, name)]));
  };
  return `${JSON.stringify(clean(JSON.parse(json), ''), null, 1)}\n`;
}

const SCHEDULED = 'activityTaskScheduledEventAttributes';

/** Copies that a replay must refuse: an event lost, another activity, two activities exchanged. */
export function mutationsOf(history: HistoryJson): Array<{ readonly what: string; readonly json: HistoryJson }> {
  const scheduled = history.events.filter((event) => event[SCHEDULED]);
  const [first] = scheduled;
  if (!first) return [];
  const mutations = [
    { what: 'an event lost', json: { events: history.events.filter((event) => event !== first) } },
    { what: 'another activity', json: renamed(history, new Map([[first.eventId, 'somethingElse']])) },
  ];
  const other = scheduled.find((event) => event[SCHEDULED]?.activityType.name !== first[SCHEDULED]?.activityType.name);
  if (!other) return mutations;
  const exchanged = new Map([
    [first.eventId, other[SCHEDULED]?.activityType.name ?? ''],
    [other.eventId, first[SCHEDULED]?.activityType.name ?? ''],
  ]);
  return [...mutations, { what: 'two activities exchanged', json: renamed(history, exchanged) }];
}

function renamed(history: HistoryJson, names: ReadonlyMap<string, string>): HistoryJson {
  const copy = structuredClone(history);
  for (const event of copy.events) {
    const name = names.get(event.eventId);
    const attributes = event[SCHEDULED];
    if (name !== undefined && attributes) attributes.activityType.name = name;
  }
  return copy;
}
