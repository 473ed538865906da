import { readdirSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';

const project = new URL('../../../../', import.meta.url);
const folder = new URL('tests/workflows/histories/', project);
const { version } = JSON.parse(readFileSync(new URL('package.json', project), 'utf8')) as { version: string };

/** The release that is being made, as its folder is named: v<major>.<minor>. */
export const CURRENT_RELEASE = `v${version.split('.').slice(0, 2).join('.')}`;
/** Stored histories live beside the sources, by release; the compiled tests read and write them there. */
export const currentHistories = new URL(`${CURRENT_RELEASE}/`, folder);

export interface StoredHistory {
  /** The release that it was recorded with. */
  readonly release: string;
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

/** Those of every release: workflows of an earlier one may still run. */
export function storedHistories(): StoredHistory[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.json'),
  );
  return files.map((path) => {
    const [release, type, file] = path.split(sep) as [string, string, string];
    const json = JSON.parse(readFileSync(new URL(path, folder), 'utf8')) as HistoryJson;
    return { release, type, name: file.slice(0, -5), json };
  });
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
export function mutationsOf(
  history: HistoryJson,
): Array<{ readonly what: string; readonly json: HistoryJson }> {
  const scheduled = history.events.filter((event) => event[SCHEDULED]);
  const [first] = scheduled;
  if (!first) return [];
  const mutations = [
    { what: 'an event lost', json: { events: history.events.filter((event) => event !== first) } },
    { what: 'another activity', json: renamed(history, new Map([[first.eventId, 'somethingElse']])) },
  ];
  const other = scheduled.find(
    (event) => event[SCHEDULED]?.activityType.name !== first[SCHEDULED]?.activityType.name,
  );
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
