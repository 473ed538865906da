import type { PlatformCalls } from './platform-calls';
import type { Dropped } from './upload-plan';
import { type Member, zipOf } from './zip-writer';

interface Answer {
  readonly errors: ReadonlyArray<{ readonly path: string; readonly message: string }>;
}

/** What became of a batch. */
export interface Outcome {
  /** Files that could not be read here. */
  readonly unread: readonly Dropped[];
  /** Files that the platform did not take, with its reason. */
  readonly refused: ReadonlyMap<string, string>;
}

/**
 * Many small files as one archive, which the platform unpacks: a request for each costs it many times as much.
 * @throws Refused where the platform takes none of them: then each has to be tried by itself
 */
export async function sendBatch(
  calls: PlatformCalls,
  datasetId: string,
  entries: readonly Dropped[],
): Promise<Outcome> {
  const members: Member[] = [];
  const unread: Dropped[] = [];
  for (const entry of entries) {
    const buffer = await entry.file.arrayBuffer().catch(() => null);
    if (buffer === null || buffer.byteLength !== entry.size) unread.push(entry);
    else members.push({ path: entry.path, bytes: new Uint8Array(buffer) });
  }
  if (members.length === 0) return { unread, refused: new Map() };
  const archive = new Blob(zipOf(members), { type: 'application/zip' });
  const { errors } = await calls.call<Answer>('POST', `/api/v1/datasets/${datasetId}/archive`, () => {
    const form = new FormData();
    form.append('file', archive, 'batch.zip');
    return { body: form };
  });
  return { unread, refused: new Map(errors.map(({ path, message }) => [path, message])) };
}
