import { randomUUID } from 'node:crypto';
import type { DeviceClock } from './device-clock.js';
import type { Random } from './random.js';
import type { RecordKind, SentBatch } from './simulation.types.js';

export interface PreparedBatch extends SentBatch {
  readonly bytes: Buffer;
  /** Null: the platform knows the batch again by its bytes. */
  readonly key: string | null;
}

/** Records of one kind of one device, numbered from 0 on. A batch keeps its bytes and key until it is acknowledged. */
export class BatchSource {
  private next = 0;

  constructor(
    private readonly device: string,
    private readonly kind: RecordKind,
    private readonly random: Random,
    private readonly clock: DeviceClock,
  ) {}

  /** @param count records, at least one */
  prepare(count: number): PreparedBatch {
    const first = this.next;
    this.next += count;
    const make = this.kind === 'telemetry' ? this.telemetry : this.inference;
    const records = Array.from({ length: count }, (_, at) => make.call(this, first + at));
    return {
      ...{ device: this.device, kind: this.kind, first, count },
      bytes: Buffer.from(JSON.stringify({ records })),
      key: this.random.next() < 0.5 ? randomUUID() : null,
    };
  }

  private telemetry(seq: number): object {
    const celsius = Math.round((40 + 10 * Math.sin(seq / 50) + this.random.between(-1, 1)) * 10) / 10;
    return { kind: 'temperature', ts: this.clock.now(), data: { seq, celsius, line: seq % 4 } };
  }

  private inference(seq: number): object {
    const confidence = Math.round(this.random.between(0.4, 1) * 1000) / 1000;
    return {
      ...{ model_name: 'simulated', version: 1, prediction_id: `${this.device}-${seq}` },
      ts: this.clock.now(),
      latency_ms: Math.round(this.random.between(5, 40) * 10) / 10,
      confidence,
      result: { seq, label: String(Math.floor(this.random.between(0, 10))) },
    };
  }
}
