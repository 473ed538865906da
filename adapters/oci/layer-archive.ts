import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';
import { AppError } from '../../core/errors/app-error.js';
import type { LayerFile, LayerMember } from '../../core/ports/layer-writer.js';

/**
 * Writes an OCI layer (tar+gzip) to a file. The same members give the same bytes: sorted by path, mode 0644, no owner,
 * time 0, and nothing of this machine in the gzip header.
 * @throws AppError bad_gateway when a member's bytes do not have its digest
 */
export async function writeLayer(
  target: string,
  members: readonly LayerMember[],
  signal: AbortSignal,
): Promise<LayerFile> {
  const tar = pack();
  const [plain, packed] = [hashing(), hashing()];
  const written = pipeline(
    tar,
    plain.through,
    createGzip({ level: 6 }),
    withoutSystem(),
    packed.through,
    createWriteStream(target),
    { signal },
  );
  const sorted = [...members].sort((a, b) => (a.path < b.path ? -1 : 1));
  try {
    for (const member of sorted) await addMember(tar, member, signal);
    tar.finalize();
  } catch (error) {
    tar.destroy(error as Error);
    await written.catch(() => undefined);
    throw error;
  }
  await written;
  return { digest: packed.digest(), size: packed.size(), diffId: plain.digest() };
}

async function addMember(tar: Pack, member: LayerMember, signal: AbortSignal): Promise<void> {
  const entry = tar.entry({
    name: member.path,
    size: member.sizeBytes,
    mode: 0o644,
    mtime: new Date(0),
    uid: 0,
    gid: 0,
    uname: '',
    gname: '',
    type: 'file',
  });
  const checked = hashing();
  await pipeline(await member.open(signal), checked.through, entry, { signal });
  if (checked.digest() !== `sha256:${member.sha256}`)
    throw new AppError('bad_gateway', `The stored bytes of ${member.path} do not have the recorded sha256.`);
}

function hashing() {
  const hash = createHash('sha256');
  let size = 0;
  let result = '';
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  return { through, size: () => size, digest: () => (result ||= `sha256:${hash.digest('hex')}`) };
}

/** Byte 9 of a gzip header names the operating system; 255 means unknown. */
function withoutSystem(): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const at = 9 - seen;
      if (at >= 0 && at < chunk.length) chunk[at] = 255;
      seen += chunk.length;
      done(null, chunk);
    },
  });
}
