import type { Backoff } from './backoff.js';
import type { BatchSource, PreparedBatch } from './batches.js';
import { Absent, type DeviceClient } from './device-client.js';
import type { Figures } from './figures.js';
import type { Random } from './random.js';
import type { Misbehaviour, SimulationLedger } from './simulation.types.js';

interface Receipt {
  readonly accepted: number;
  readonly received_at: string;
}

export interface SenderParts {
  readonly client: DeviceClient;
  readonly figures: Figures;
  readonly ledger: SimulationLedger;
  readonly random: Random;
  readonly misbehave: ReadonlySet<Misbehaviour>;
}

/** Shares of batches, where the device misbehaves so. */
const CUT_SHARE = 0.15;
const RESENT_SHARE = 0.2;

/** Sends batches of one kind. One that is not acknowledged goes out again with the same bytes and key, and no later one before it. */
export class RecordSender {
  private pending: PreparedBatch | null = null;

  constructor(
    private readonly parts: SenderParts,
    private readonly source: BatchSource,
    private readonly backoff: Backoff,
  ) {}

  /** Returns when a batch is acknowledged, or the signal is aborted. @throws Refused */
  async send(count: number, signal: AbortSignal): Promise<void> {
    const { figures, ledger, random, misbehave } = this.parts;
    if (this.pending === null) {
      this.pending = this.source.prepare(count);
      ledger.sending(this.pending);
    }
    const batch = this.pending;
    let isCut = misbehave.has('cut') && random.next() < CUT_SHARE;
    while (!signal.aborted) {
      try {
        const receipt = await this.post(batch, signal, isCut ? this.cutAt(batch) : null);
        this.backoff.success();
        this.pending = null;
        ledger.acknowledged(batch);
        figures.records[batch.kind] += batch.count;
        if (misbehave.has('resend') && random.next() < RESENT_SHARE) await this.again(batch, receipt, signal);
        return;
      } catch (error) {
        if (!(error instanceof Absent)) throw error;
        if (!signal.aborted) figures.retries += 1;
        if (!isCut) await this.backoff.wait(error.retryAfterS, signal);
        isCut = false;
      }
    }
  }

  /** Somewhere in its bytes, or after the last of them. */
  private cutAt({ bytes }: PreparedBatch): number {
    const { random } = this.parts;
    return random.next() < 0.5 ? bytes.length : Math.floor(random.between(1, bytes.length));
  }

  /** The batch is there: it gets the answer of the first. */
  private async again(batch: PreparedBatch, first: Receipt, signal: AbortSignal): Promise<void> {
    const second = await this.post(batch, signal, null).catch((error: unknown) => {
      if (error instanceof Absent) return null;
      throw error;
    });
    if (second !== null && second.received_at !== first.received_at)
      this.parts.figures.breach(
        `a repeated batch of ${batch.device} was received at ${second.received_at}, the first at ${first.received_at}`,
      );
  }

  private async post(
    batch: PreparedBatch,
    signal: AbortSignal,
    cutAfterBytes: number | null,
  ): Promise<Receipt> {
    const { kind, bytes, key, count, device } = batch;
    const { body } = await this.parts.client.call<Receipt>({
      ...{ name: kind, method: 'POST', path: `/${kind}`, bytes, signal, cutAfterBytes },
      headers: {
        'content-type': 'application/json',
        ...(key === null ? {} : { 'idempotency-key': key }),
      },
    });
    if (body.accepted !== count)
      this.parts.figures.breach(`${body.accepted} records of ${device} were accepted, not ${count}`);
    return body;
  }
}
