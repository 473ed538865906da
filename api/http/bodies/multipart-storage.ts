import { createHash } from 'node:crypto';
import type { Request } from 'express';
import type { StorageEngine } from 'multer';
import { AppError, badRequest, fieldError, unprocessable } from '../../../core/errors/app-error.js';
import type { MultipartStore, ObjectStore, PartInfo } from '../../../core/ports/object-store.js';
import { LAST_JOIN_S, LAST_WRITES_S } from '../../../models/objects/orphaned-object.commands.js';
import { contentLength } from './chunk-body.js';
import { type FormBuffers, FormMemory } from './form-memory.js';
import { accessOf } from '../routing/request-context.js';

/** Where the bytes of one form file go. */
export interface UploadTarget {
  /** Recorded before, so that it is swept when nobody adopts it. */
  readonly key: string;
  readonly maxBytes: number;
  /** What the refusal of a larger file says. */
  readonly tooLarge: string;
}

export interface UploadIntake {
  /** Decides whether this request may bring a file at all, before its bytes are taken. */
  begin(req: Request): Promise<UploadTarget>;
  /** The request failed after all: the object is nobody's. @param inS for how long the store may still be at it */
  discard(req: Request, key: string, inS: number): Promise<void>;
}

/** What the handler finds of a form file once its bytes are in the store. */
export interface StoredFile {
  /** As the client sent it, folders and all. */
  readonly originalname: string;
  readonly objectKey: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** The first bytes, to recognise the file by. */
  readonly head: Buffer;
}

/** @throws AppError unprocessable_entity when the form held no file */
export function requireStoredFile(file: Express.Multer.File | undefined): StoredFile {
  const stored = file as unknown as StoredFile | undefined;
  if (stored?.objectKey === undefined)
    throw unprocessable(
      [fieldError(['body', 'file'], 'is required')],
      'Send multipart/form-data with exactly one field named file.',
    );
  return stored;
}

const HEAD_BYTES = 65_536;

/** Streams form files into the object store: at most two parts of each are in memory, within a common budget; the hash is made on the way. */
export class ObjectStorageEngine implements StorageEngine {
  constructor(
    private readonly objects: ObjectStore & MultipartStore,
    private readonly intake: UploadIntake,
    private readonly memory = new FormMemory(),
  ) {}

  _handleFile(
    req: Request,
    file: Express.Multer.File,
    done: (error?: unknown, info?: Partial<Express.Multer.File>) => void,
  ): void {
    // Without this a client that leaves half-way would leave the reader below waiting for ever.
    const onClose = () => {
      if (!req.complete)
        file.stream.destroy(
          badRequest('The connection was closed before the whole file came; send it again.'),
        );
    };
    req.once('close', onClose);
    this.store(req, file)
      .finally(() => req.off('close', onClose))
      .then(
        (stored) => done(null, stored as Partial<Express.Multer.File>),
        (error: unknown) => {
          file.stream.resume();
          done(error);
        },
      );
  }

  _removeFile(
    req: Request,
    file: Express.Multer.File & Partial<StoredFile>,
    done: (error: Error | null) => void,
  ): void {
    const { objectKey } = file;
    if (objectKey === undefined) return done(null);
    this.intake.discard(req, objectKey, 0).then(
      () => done(null),
      () => done(null),
    );
  }

  private async store(req: Request, file: Express.Multer.File): Promise<Omit<StoredFile, 'originalname'>> {
    // What the form's reader puts in the place of bytes that are not UTF-8.
    if (file.originalname.includes('\ufffd'))
      throw unprocessable([fieldError(['body', 'file', 'filename'], 'must be valid UTF-8')]);
    const target = await this.intake.begin(req);
    let writer: PartWriter | null = null;
    try {
      const buffers = await this.memory.take(accessOf(req).tenantId, contentLength(req));
      writer = new PartWriter(this.objects, target, buffers);
      let isStored = false;
      try {
        for await (const piece of file.stream as AsyncIterable<Buffer>) await writer.write(piece);
        const stored = await writer.finish();
        isStored = true;
        return stored;
      } finally {
        await writer.atRest();
        buffers.release(isStored);
      }
    } catch (error) {
      await this.intake.discard(req, target.key, writer?.lingersS ?? 0).catch(() => undefined);
      throw error;
    }
  }
}

class PartWriter {
  private readonly hash = createHash('sha256');
  private readonly parts: PartInfo[] = [];
  private filling: Buffer;
  private held = 0;
  /** The buffer that is sent, or was; null as long as one had to do. */
  private other: Buffer | null = null;
  private sizeBytes = 0;
  private head: Buffer | null = null;
  private multipartId: string | null = null;
  private sending: Promise<void> = Promise.resolve();
  /** For how long the store may still be at what failed here. */
  lingersS = 0;

  constructor(
    private readonly objects: ObjectStore & MultipartStore,
    private readonly target: UploadTarget,
    private readonly buffers: FormBuffers,
  ) {
    this.filling = buffers.first;
  }

  async write(piece: Buffer): Promise<void> {
    if (this.sizeBytes + piece.length > this.target.maxBytes) {
      await this.abort();
      throw new AppError('payload_too_large', this.target.tooLarge, { max_bytes: this.target.maxBytes });
    }
    this.hash.update(piece);
    this.sizeBytes += piece.length;
    for (let at = 0; at < piece.length; ) {
      if (this.held === this.filling.length) await this.sendPart();
      const copied = piece.copy(this.filling, this.held, at);
      this.held += copied;
      at += copied;
    }
  }

  async finish(): Promise<Omit<StoredFile, 'originalname'>> {
    const { key } = this.target;
    const head = this.takeHead();
    if (this.multipartId === null)
      await this.lingering(
        LAST_WRITES_S,
        this.objects.put(key, this.filling.subarray(0, this.held), this.held),
      );
    else {
      await this.sendPart();
      await this.settled();
      await this.lingering(LAST_JOIN_S, this.objects.completeMultipart(key, this.multipartId, this.parts));
    }
    return { objectKey: key, sizeBytes: this.sizeBytes, sha256: this.hash.digest('hex'), head };
  }

  /** When nothing is being sent any more, however it went. */
  async atRest(): Promise<void> {
    await this.sending.catch(() => undefined);
  }

  /** One part is on its way while the next is filled, where there is memory for two. */
  private async sendPart(): Promise<void> {
    await this.settled();
    this.takeHead();
    this.multipartId ??= await this.objects.createMultipart(this.target.key);
    const [id, full, number] = [this.multipartId, this.filling, this.parts.length + 1];
    const sent = this.lingering(
      LAST_WRITES_S,
      this.objects.putPart(this.target.key, id, number, full.subarray(0, this.held), this.held),
    );
    this.sending = sent.then((part) => void this.parts.push(part));
    // Seen by the next `settled`; a rejection in between is not unhandled.
    this.sending.catch(() => undefined);
    this.other ??= this.buffers.second();
    if (this.other === null) await this.settled();
    else [this.filling, this.other] = [this.other, full];
    this.held = 0;
  }

  private async lingering<T>(forS: number, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      this.lingersS = forS;
      throw error;
    }
  }

  /** A copy: the buffer is another form's as soon as this one is stored. */
  private takeHead(): Buffer {
    this.head ??= Buffer.from(this.filling.subarray(0, Math.min(this.held, HEAD_BYTES)));
    return this.head;
  }

  private async settled(): Promise<void> {
    try {
      await this.sending;
    } catch (error) {
      await this.abort();
      throw error;
    }
  }

  private async abort(): Promise<void> {
    if (this.multipartId !== null)
      await this.objects.abortMultipart(this.target.key, this.multipartId).catch(() => undefined);
  }
}
