import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { inParallel } from '../../core/load/in-parallel.js';
import type { MultipartStore, ObjectStore, PartInfo } from '../../core/ports/object-store.js';
import { EngineError } from '../engines/engine.js';
import type { Report } from '../terminal/progress.js';
import { objectFile, readPart } from './folder.js';
import { type Manifest, type ObjectEntry, objectSchema } from './manifest.js';

const GROUP = 128;
const AT_ONCE = 8;
/** What a store takes in one piece, and the pieces of what is larger. */
const ONE_PIECE_BYTES = 2 ** 30;
const PIECE_BYTES = 512 * 2 ** 20;

type Joining = Pick<MultipartStore, 'createMultipart' | 'putPart' | 'completeMultipart'>;

export type Stored = Extract<ObjectEntry, { sha256: string }>;

/** Lines of the index, in the order of the keys. */
async function* readIndex(folder: string, manifest: Manifest): AsyncGenerator<ObjectEntry> {
  const text = Readable.from(readPart(folder, manifest.objects.index));
  for await (const line of createInterface({ input: text })) yield objectSchema.parse(JSON.parse(line));
}

/**
 * Stores every object of the backup and reads it back: what the store answers has the digest of the index.
 * An object that is there already is read alone.
 */
export async function loadObjects(
  store: Pick<ObjectStore, 'put' | 'get'> & Joining,
  folder: string,
  manifest: Manifest,
  isThere: (entry: Stored) => Promise<boolean>,
  report: Report,
): Promise<void> {
  let done = 0;
  let group: Stored[] = [];
  const load = async () => {
    await inParallel(group, AT_ONCE, async (entry) => {
      if (!(await isThere(entry))) await putObject(store, folder, entry);
      await verifyObject(store, entry);
    });
    done += group.length;
    report(done / manifest.objects.count, `${done} of ${manifest.objects.count}`);
    group = [];
  };
  for await (const entry of readIndex(folder, manifest)) {
    if ('missing' in entry) continue;
    group.push(entry);
    if (group.length === GROUP) await load();
  }
  await load();
  if (done !== manifest.objects.count)
    throw new EngineError(`The index names ${done} objects, the manifest ${manifest.objects.count}.`);
}

async function putObject(
  store: Pick<ObjectStore, 'put'> & Joining,
  folder: string,
  { key, sizeBytes }: Stored,
): Promise<void> {
  const path = objectFile(folder, key);
  const found = await stat(path).catch(() => null);
  if (found?.size !== sizeBytes)
    throw new EngineError(
      `${path} is ${found === null ? 'missing in the backup' : `not the file that the backup wrote: it has ${found.size} bytes, not ${sizeBytes}`}.`,
    );
  if (sizeBytes <= ONE_PIECE_BYTES) {
    await store.put(key, sizeBytes === 0 ? Buffer.alloc(0) : createReadStream(path), sizeBytes);
    return;
  }
  const uploadId = await store.createMultipart(key);
  const parts: PartInfo[] = [];
  for (let start = 0; start < sizeBytes; start += PIECE_BYTES) {
    const end = Math.min(start + PIECE_BYTES, sizeBytes);
    const piece = createReadStream(path, { start, end: end - 1 });
    parts.push(await store.putPart(key, uploadId, parts.length + 1, piece, end - start));
  }
  await store.completeMultipart(key, uploadId, parts);
}

async function verifyObject(store: Pick<ObjectStore, 'get'>, { key, sha256 }: Stored): Promise<void> {
  const hash = createHash('sha256');
  for await (const piece of (await store.get(key)) as AsyncIterable<Buffer>) hash.update(piece);
  if (hash.digest('hex') !== sha256)
    throw new EngineError(
      `The object ${key} has another sha256 than the backup recorded: its file in the backup was changed.`,
    );
}
