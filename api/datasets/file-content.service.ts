import { Readable } from 'node:stream';
import { fieldError, notFound, unavailable, unprocessable } from '../../core/errors/app-error.js';
import { SharedSlots } from '../../core/load/shared-slots.js';
import type { ImageDecoder } from '../../core/ports/image-decoder.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import { setPreview } from '../../models/datasets/files/dataset-file.commands.js';
import { type FileRow, findFile } from '../../models/datasets/files/dataset-file.queries.js';
import { newObjectKey } from '../../models/datasets/uploads/dataset-upload.commands.js';
import { INLINE_IMAGE_TYPES } from '../../formats/files/file-type.js';
import {
  adoptObjects,
  freeObjects,
  recordOrphanedObjects,
} from '../../models/objects/orphaned-object.commands.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { Caller } from '../http/routing/request-context.js';
import type { SendableObject } from '../http/answers/send-object.js';

const PREVIEW_SIDE = 512;
/** Larger originals get no preview: they would have to be held whole. */
const MAX_PREVIEW_SOURCE_BYTES = 64 * 1024 * 1024;
/** As many as a process has decoders; one tenant's leave one to the others. */
const PREVIEWS_AT_ONCE = 2;
const OF_A_TENANT = 1;
/** Previews of one tenant under way or waiting; those that wait hold no bytes. Further ones are asked to come again. */
const MAX_PREVIEWS_AHEAD = 32;
/** A preview may be waited for by several who ask, so none of them ends it. */
const NEVER = new AbortController().signal;
/** Types that a browser could run are sent as bytes without a type. */
const ACTIVE_TYPES: ReadonlySet<string> = new Set([
  'text/html',
  'image/svg+xml',
  'application/xml',
  'application/pdf',
]);

/** The bytes of files: originals, and small upright copies of images that are made once and kept. */
export class FileContentService {
  private readonly making = new Map<string, Promise<Bytes>>();
  private readonly turns = new SharedSlots(PREVIEWS_AT_ONCE, OF_A_TENANT);

  constructor(
    private readonly db: Database,
    private readonly objects: ObjectStore,
    private readonly images: ImageDecoder,
  ) {}

  async original(
    caller: Caller,
    datasetId: string,
    fileId: string,
    download: boolean,
  ): Promise<SendableObject> {
    const file = await this.find(caller, datasetId, fileId);
    return {
      sizeBytes: file.sizeBytes,
      etag: file.sha256,
      mediaType: ACTIVE_TYPES.has(file.mediaType) ? 'application/octet-stream' : file.mediaType,
      isInline: !download && INLINE_IMAGE_TYPES.has(file.mediaType),
      fileName: file.path.slice(file.path.lastIndexOf('/') + 1),
      open: (range, signal) => this.objects.get(file.objectKey, { signal, ...(range ? { range } : {}) }),
    };
  }

  /** @throws AppError unprocessable_entity for files that are no images, or too large */
  async preview(caller: Caller, datasetId: string, fileId: string, download: boolean): Promise<Preview> {
    const file = await this.find(caller, datasetId, fileId);
    if (file.kind !== 'image')
      throw unprocessable(
        [fieldError(['query', 'variant'], 'preview exists for images only')],
        'A preview exists for images only; ask for variant=original.',
      );
    if (file.sizeBytes > MAX_PREVIEW_SOURCE_BYTES)
      throw unprocessable(
        [fieldError(['query', 'variant'], 'the image is too large for a preview')],
        'The image is too large for a preview; ask for variant=original.',
      );
    const etag = `${file.sha256}-${PREVIEW_SIDE}`;
    return { etag, make: () => this.sendable(caller, file, etag, download) };
  }

  private async sendable(
    caller: Caller,
    file: FileRow,
    etag: string,
    download: boolean,
  ): Promise<SendableObject> {
    const made = (await this.keptPreview(file)) ?? (await this.sharedPreview(caller, file));
    return {
      sizeBytes: made.sizeBytes,
      etag,
      mediaType: 'image/webp',
      isInline: !download,
      fileName: `${file.path.slice(file.path.lastIndexOf('/') + 1)}.webp`,
      open: (range, signal) => made.open(range ?? undefined, signal),
    };
  }

  private async find(caller: Caller, datasetId: string, fileId: string): Promise<FileRow> {
    const file = await this.db.inTenant(caller.tenant.tenantId, (tx) => findFile(tx, datasetId, fileId));
    if (!file) throw notFound('File');
    return file;
  }

  private async keptPreview(file: FileRow): Promise<Bytes | null> {
    const key = file.previewKey;
    const info = key === null ? null : await this.objects.head(key);
    if (key === null || info === null) return null;
    return {
      sizeBytes: info.sizeBytes,
      open: (range, signal) => this.objects.get(key, { signal, ...(range ? { range } : {}) }),
    };
  }

  /** Whoever asks for a preview that is being made gets that one. */
  private sharedPreview(caller: Caller, file: FileRow): Promise<Bytes> {
    const running = this.making.get(file.id);
    if (running) return running;
    const { tenantId } = caller.tenant;
    if (this.turns.ahead(tenantId) >= MAX_PREVIEWS_AHEAD)
      return Promise.reject(
        unavailable('Too many previews are being made; ask again in a moment.', undefined, 2),
      );
    const making = this.turns
      .during(tenantId, () => this.makePreview(caller, file), NEVER)
      .finally(() => this.making.delete(file.id));
    this.making.set(file.id, making);
    return making;
  }

  private async makePreview(caller: Caller, file: FileRow): Promise<Bytes> {
    const bytes = await this.images.preview(() => this.readWhole(file), PREVIEW_SIDE);
    await this.keepPreview(caller, file, bytes);
    return fromBuffer(bytes);
  }

  /** One buffer of the known size: pieces joined afterwards would need it twice. */
  private async readWhole(file: FileRow): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(file.sizeBytes);
    let at = 0;
    for await (const piece of (await this.objects.get(file.objectKey)) as AsyncIterable<Buffer>)
      at += piece.copy(bytes, at);
    return bytes.subarray(0, at);
  }

  private async keepPreview(caller: Caller, file: FileRow, bytes: Buffer): Promise<void> {
    const { tenantId } = caller.tenant;
    const key = newObjectKey(tenantId, 'dataset-preview');
    await this.db.inTenant(tenantId, (tx) => recordOrphanedObjects(tx, [{ key }]));
    await this.objects.put(key, bytes, bytes.length, { contentType: 'image/webp' });
    // Another request may have been faster, or the file may be gone: then nobody adopts this one.
    await this.db.inTenant(tenantId, async (tx) =>
      (await setPreview(tx, file.id, key)) ? adoptObjects(tx, [key]) : freeObjects(tx, [{ key }]),
    );
  }
}

/** Named before it is made: who has it already need not wait for it. */
export interface Preview {
  readonly etag: string;
  /** @throws AppError unprocessable_entity for unreadable images, service_unavailable when too many are asked for */
  make(): Promise<SendableObject>;
}

interface Bytes {
  readonly sizeBytes: number;
  open(range: { start: number; end: number } | undefined, signal: AbortSignal): Promise<Readable>;
}

function fromBuffer(bytes: Buffer): Bytes {
  return {
    sizeBytes: bytes.length,
    open: async (range) => Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes]),
  };
}
