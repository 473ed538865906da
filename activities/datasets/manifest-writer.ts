import { createHash } from 'node:crypto';
import type { MultipartStore, ObjectStore } from '../../core/ports/object-store.js';
import {
  digestLine,
  MANIFEST_TAIL,
  manifestHead,
  manifestLine,
} from '../../models/datasets/validation/manifest.rules.js';
import type { ManifestFile } from '../../models/datasets/validation/manifest.types.js';

const PART_BYTES = 8 * 1024 * 1024;

/** Pages of files in manifest order, read afresh each time it is called. */
export type ManifestPages = () => AsyncIterable<readonly ManifestFile[]>;

export async function computeDigest(pages: ManifestPages): Promise<string> {
  const hash = createHash('sha256');
  for await (const page of pages()) hash.update(page.map(digestLine).join(''));
  return hash.digest('hex');
}

/** Writes the manifest under `key`, in bounded memory however many files there are. */
export async function writeManifest(
  objects: ObjectStore & MultipartStore,
  key: string,
  digest: string,
  pages: ManifestPages,
  signal: AbortSignal,
): Promise<void> {
  const target = new PartedObject(objects, key, signal);
  try {
    let isFirst = true;
    await target.write(manifestHead(digest));
    for await (const page of pages()) {
      await target.write(`${isFirst ? '' : ',\n'}${page.map(manifestLine).join(',\n')}`);
      isFirst = false;
    }
    await target.write(MANIFEST_TAIL);
    await target.finish();
  } catch (error) {
    await target.abort();
    throw error;
  }
}

/** Text of unknown length as one object: a single put when small, a multipart upload otherwise. */
class PartedObject {
  private pieces: Buffer[] = [];
  private size = 0;
  private multipartId: string | null = null;
  private readonly parts: Awaited<ReturnType<MultipartStore['putPart']>>[] = [];

  constructor(
    private readonly objects: ObjectStore & MultipartStore,
    private readonly key: string,
    private readonly signal: AbortSignal,
  ) {}

  async write(text: string): Promise<void> {
    const piece = Buffer.from(text);
    this.pieces.push(piece);
    this.size += piece.length;
    if (this.size >= PART_BYTES) await this.flush();
  }

  async finish(): Promise<void> {
    if (this.multipartId === null) {
      const body = Buffer.concat(this.pieces);
      await this.objects.put(this.key, body, body.length, {
        contentType: 'application/json',
        signal: this.signal,
      });
      return;
    }
    if (this.size > 0) await this.flush();
    await this.objects.completeMultipart(this.key, this.multipartId, this.parts);
  }

  async abort(): Promise<void> {
    if (this.multipartId !== null)
      await this.objects.abortMultipart(this.key, this.multipartId).catch(() => undefined);
  }

  private async flush(): Promise<void> {
    this.multipartId ??= await this.objects.createMultipart(this.key, 'application/json');
    const body = Buffer.concat(this.pieces);
    this.parts.push(
      await this.objects.putPart(
        this.key,
        this.multipartId,
        this.parts.length + 1,
        body,
        body.length,
        this.signal,
      ),
    );
    this.pieces = [];
    this.size = 0;
  }
}
