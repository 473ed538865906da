import { createHash } from 'node:crypto';
import type { Backoff } from './backoff.js';
import { Absent, type DeviceClient, Refused } from './device-client.js';
import type { Figures } from './figures.js';
import { noisePicture } from './noise-picture.js';
import type { Random } from './random.js';
import type { SimulationLedger } from './simulation.types.js';

export interface UploadParts {
  readonly device: string;
  readonly client: DeviceClient;
  readonly figures: Figures;
  readonly ledger: SimulationLedger;
  readonly random: Random;
}

interface Picture {
  readonly bytes: Buffer;
  readonly sha256: string;
  /** Null: no session takes it yet. */
  uploadId: string | null;
}

interface Session {
  readonly upload_id: string;
  readonly chunk_count: number;
  readonly received: readonly number[];
  readonly state: string;
}

/** Sends a picture now and then. One that was cut off goes on with the chunks that the platform lacks. */
export class UploadSender {
  private pending: Picture | null = null;

  constructor(
    private readonly parts: UploadParts,
    private readonly backoff: Backoff,
  ) {}

  /** Returns when the platform has all of a picture, or the signal is aborted. @throws Refused by a token that is no longer valid */
  async send(signal: AbortSignal): Promise<void> {
    this.pending ??= this.newPicture();
    const picture = this.pending;
    while (!signal.aborted) {
      try {
        await this.transfer(picture, signal);
        this.backoff.success();
        this.pending = null;
        return;
      } catch (error) {
        if (error instanceof Refused && error.status !== 401) {
          this.pending = null;
          return;
        }
        if (!(error instanceof Absent)) throw error;
        if (!signal.aborted) this.parts.figures.retries += 1;
        await this.backoff.wait(error.retryAfterS, signal);
      }
    }
  }

  private newPicture(): Picture {
    const bytes = noisePicture(this.parts.random);
    return { bytes, sha256: createHash('sha256').update(bytes).digest('hex'), uploadId: null };
  }

  private async transfer(picture: Picture, signal: AbortSignal): Promise<void> {
    const session = await this.session(picture, signal);
    const id = session.upload_id;
    const state = session.state === 'open' ? await this.fill(session, picture, signal) : session.state;
    if (state === 'failed') {
      picture.uploadId = null;
      throw new Absent(`the upload ${id} failed and begins again`);
    }
    this.parts.figures.uploads += 1;
    this.parts.ledger.uploaded(this.parts.device, id, picture.sha256);
  }

  /** One chunk: a picture is smaller than the least chunk. @returns the state of the session after it */
  private async fill(session: Session, { bytes }: Picture, signal: AbortSignal): Promise<string> {
    const path = `/uploads/${session.upload_id}`;
    if (session.received.length < session.chunk_count)
      await this.call('PUT', `${path}/chunks/0`, signal, { bytes });
    return (await this.call<Session>('POST', `${path}:complete`, signal)).state;
  }

  private async session(picture: Picture, signal: AbortSignal): Promise<Session> {
    if (picture.uploadId !== null) return this.call<Session>('GET', `/uploads/${picture.uploadId}`, signal);
    const opened = await this.call<Session>('POST', '/uploads', signal, {
      json: {
        filename: `${picture.sha256.slice(0, 32)}.png`,
        size: picture.bytes.length,
        sha256: picture.sha256,
        kind: 'image',
        meta: { simulated: true },
      },
    });
    picture.uploadId = opened.upload_id;
    return opened;
  }

  private async call<T>(
    method: string,
    path: string,
    signal: AbortSignal,
    body: { readonly json?: unknown; readonly bytes?: Buffer } = {},
  ): Promise<T> {
    return (await this.parts.client.call<T>({ name: 'upload', method, path, signal, ...body })).body;
  }
}
