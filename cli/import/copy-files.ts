import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { inParallel } from '../../core/load/in-parallel.js';
import { attempt, type ImportJob } from './import-job.js';
import type { TrackerServer } from './tracker-server.js';
import type { WireFile } from './wire.types.js';

/** Files of one run or model: both lists are asked level by level. */
interface Listing {
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  /** Name of the parameter that names a folder or a file. */
  readonly name: string;
}

export interface FilesToCopy {
  readonly list: Listing;
  readonly read: Listing;
  readonly target: Omit<Listing, 'path'> & { readonly list: string; readonly root: string };
  /** False: a file that is here may have been written anew since, in the same size. */
  readonly isSettled: boolean;
  /** For messages. */
  readonly what: string;
}

const FILES_AT_ONCE = 2;

/** Streams what is not here yet. @returns false when a file could not be copied */
export async function copyFiles(
  job: ImportJob,
  { list, read, target, isSettled, what }: FilesToCopy,
): Promise<boolean> {
  const missing = await attempt(job, `${what}, its files`, async () => {
    const found = await filesBelow(job.from, list, '');
    const known = new Map<string, number>();
    if (isSettled && found.length > 0)
      for (const file of await filesBelow(job.to, { ...target, path: target.list }, ''))
        known.set(file.path, Number(file.file_size ?? 0));
    return found.filter((file) => known.get(file.path) !== Number(file.file_size ?? 0));
  });
  const copied = await inParallel(missing ?? [], FILES_AT_ONCE, ({ path }) =>
    attempt(job, `${what}, its file ${path}`, () => copyFile(job, read, target.root, path)),
  );
  return missing !== null && !copied.includes(null);
}

async function filesBelow(
  server: TrackerServer,
  { path, params, name }: Listing,
  folder: string,
): Promise<WireFile[]> {
  const files: WireFile[] = [];
  const asked = folder === '' ? params : { ...params, [name]: folder };
  for await (const page of server.pages((token) =>
    server.get<{ files?: WireFile[]; next_page_token?: string }>(path, { ...asked, ...token }),
  ))
    for (const file of page.files ?? [])
      files.push(...(file.is_dir ? await filesBelow(server, { path, params, name }, file.path) : [file]));
  return files;
}

async function copyFile(
  { from, to, counts }: ImportJob,
  { path: address, params, name }: Listing,
  root: string,
  path: string,
): Promise<true> {
  const answer = await from.open(address, { ...params, [name]: path });
  const target = `${root}/${path}`.split('/').map(encodeURIComponent).join('/');
  const length = answer.headers.get('content-length');
  const isAsItIs = answer.headers.get('content-encoding') === null;
  const body = Readable.fromWeb(answer.body as ReadableStream);
  const sizeBytes = length !== null && isAsItIs ? Number(length) : null;
  const [stream, size] = sizeBytes === null ? await whole(body) : [body, sizeBytes];
  try {
    await to.put(`/api/2.0/mlflow-artifacts/artifacts/${target}`, stream, size);
  } finally {
    // Nobody reads the rest of what is refused.
    body.destroy();
  }
  counts.files += 1;
  counts.bytes += size;
  return true;
}

/** What comes without its size is read first. */
async function whole(body: Readable): Promise<[Readable, number]> {
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(piece as Buffer);
  const bytes = Buffer.concat(pieces);
  return [Readable.from(bytes), bytes.length];
}
