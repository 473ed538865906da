import type { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

export interface ZipMember {
  /** Path inside the archive, with `/`. */
  readonly path: string;
  readonly sizeBytes: number;
  open(signal: AbortSignal): Promise<Readable>;
}

/** The archive has to have some time; members of equal bytes so make equal archives. */
const TIME = new Date(Date.UTC(1980, 0, 1));

/** A ZIP archive made while it is read: members are opened one after the other, so memory and connections stay bounded. */
export function zipStream(members: readonly ZipMember[], signal: AbortSignal): Readable {
  const zip = new ZipFile();
  const out = zip.outputStream as Readable;
  for (const member of members) {
    zip.addReadStreamLazy(
      member.path,
      { mtime: TIME, mode: 0o100644, size: member.sizeBytes, compress: false },
      (opened) => {
        member.open(signal).then(
          (body) => {
            body.on('error', (error) => out.destroy(error));
            opened(null, body);
          },
          (error: Error) => {
            out.destroy(error);
            opened(error, null as never);
          },
        );
      },
    );
  }
  zip.on('error', (error: Error) => out.destroy(error));
  zip.end();
  return out;
}
