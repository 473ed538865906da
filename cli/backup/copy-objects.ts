import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../core/errors/app-error.js';
import { inParallel } from '../../core/load/in-parallel.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import type { Report } from '../terminal/progress.js';
import {
  backupFiles,
  digestFile,
  INDEX_FILE,
  objectFile,
  requireRoom,
  writeFileWhole,
  writePart,
} from './folder.js';
import type { Manifest, ObjectEntry } from './manifest.js';

/** An object that rows refer to, with what they say of it. */
interface Wanted {
  readonly key: string;
  readonly sha256: string | null;
  readonly sizeBytes: number | null;
}

const GROUP = 128;
const AT_ONCE = 8;
const TRIES = 5;
const PAUSE_MS = 2000;

export interface CopiedObjects {
  readonly objects: Manifest['objects'];
  /** Objects that were copied now; the others were there from an earlier run. */
  readonly copied: number;
  /** Some of those that could not be had, at most MAX_NAMED. */
  readonly damagedKeys: readonly string[];
}

const MAX_NAMED = 20;

/**
 * Copies the objects of the list that the folder has not got, and writes the index of all of them. Objects
 * never change under their key, so a file that is there is compared with its digest and kept.
 * @param isStillNamed which of these keys rows refer to now
 */
export async function copyObjects(
  store: Pick<ObjectStore, 'get'>,
  folder: string,
  isStillNamed: (keys: readonly string[]) => Promise<ReadonlySet<string>>,
  report: Report,
): Promise<CopiedObjects> {
  const total = await survey(folder);
  requireRoom(folder, total.bytes);
  const counts = { count: 0, sizeBytes: 0, deleted: 0, damaged: 0 };
  const damagedKeys: string[] = [];
  let copied = 0;
  async function* lines(): AsyncGenerator<string> {
    for await (const group of groups(folder)) {
      const results = await inParallel(group, AT_ONCE, (wanted) => copyObject(store, folder, wanted));
      const lost = results.flatMap(({ entry }) => ('missing' in entry ? [entry.key] : []));
      const named = lost.length === 0 ? new Set<string>() : await isStillNamed(lost);
      for (const { entry, isNew } of results) {
        const settled =
          'missing' in entry && !named.has(entry.key) ? { ...entry, missing: 'deleted' as const } : entry;
        copied += isNew ? 1 : 0;
        if ('missing' in settled) counts[settled.missing] += 1;
        else counts.sizeBytes += settled.sizeBytes;
        counts.count += 'missing' in settled ? 0 : 1;
        if ('missing' in settled && settled.missing === 'damaged' && damagedKeys.length < MAX_NAMED)
          damagedKeys.push(settled.key);
        yield `${JSON.stringify(settled)}\n`;
      }
      const done = counts.count + counts.deleted + counts.damaged;
      report(done / total.objects, `${done} of ${total.objects}`);
    }
  }
  const index = await writePart(folder, INDEX_FILE, lines());
  return { objects: { index, ...counts }, copied, damagedKeys };
}

/** How many objects there are, and what those take, as far as rows know it, that are not here yet. */
async function survey(folder: string): Promise<{ objects: number; bytes: number }> {
  let [objects, bytes] = [0, 0];
  const { existsSync } = await import('node:fs');
  for await (const group of groups(folder))
    for (const { key, sizeBytes } of group) {
      objects += 1;
      if (!existsSync(objectFile(folder, key))) bytes += sizeBytes ?? 0;
    }
  return { objects, bytes };
}

async function* groups(folder: string): AsyncGenerator<Wanted[]> {
  let group: Wanted[] = [];
  for await (const line of createInterface({ input: createReadStream(backupFiles(folder).list) })) {
    const [key = '', sha256, size] = line.split('\t');
    group.push({ key, sha256: orNull(sha256), sizeBytes: orNull(size) === null ? null : Number(size) });
    if (group.length < GROUP) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** As COPY writes what is null. */
const orNull = (text: string | undefined): string | null =>
  text === undefined || text === '\\N' ? null : text;

interface Copied {
  readonly entry: ObjectEntry;
  readonly isNew: boolean;
}

async function copyObject(store: Pick<ObjectStore, 'get'>, folder: string, wanted: Wanted): Promise<Copied> {
  const { key } = wanted;
  const path = objectFile(folder, key);
  const kept = await digestFile(path);
  if (kept !== null && isAsWanted(kept, wanted)) return { entry: { key, ...kept }, isNew: false };
  const found = await fetchObject(store, key, path);
  if (found === null || !isAsWanted(found, wanted))
    return { entry: { key, missing: 'damaged' }, isNew: false };
  return { entry: { key, ...found }, isNew: true };
}

const isAsWanted = (found: { sizeBytes: number; sha256: string }, wanted: Wanted): boolean =>
  (wanted.sha256 === null || wanted.sha256 === found.sha256) &&
  (wanted.sizeBytes === null || wanted.sizeBytes === found.sizeBytes);

/** Null when the store has no such object. A store that is away for a moment is asked again. */
async function fetchObject(
  store: Pick<ObjectStore, 'get'>,
  key: string,
  path: string,
): Promise<{ sizeBytes: number; sha256: string } | null> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await writeFileWhole(path, await store.get(key));
    } catch (error) {
      const code = error instanceof AppError ? error.code : null;
      if (code === 'not_found') return null;
      if (code !== 'service_unavailable' || tries === TRIES) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
