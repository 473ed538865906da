import type { RecordKind, SentBatch, SimulationLedger } from '../../../cli/simulate/simulation.types.js';

/** Records of a device are numbered without a gap, and a batch goes out when the one before it is acknowledged. */
export interface SentRecords {
  /** Those with a lower number are acknowledged. */
  acknowledged: number;
  /** Those with a lower number went out at least once. */
  sent: number;
}

export interface Effect {
  readonly device: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What the devices were answered, kept apart from the platform. */
export class StormLedger implements SimulationLedger {
  /** By device. */
  readonly records: Readonly<Record<RecordKind, Map<string, SentRecords>>> = {
    telemetry: new Map(),
    inference: new Map(),
  };
  readonly beats = new Map<string, number[]>();
  readonly effects = new Map<string, Effect[]>();
  readonly ends = new Map<string, 'succeeded' | 'failed'>();
  /** Hashes by upload. */
  readonly uploads = new Map<string, string>();
  /** Commands of which the platform said that it has them. */
  readonly commands = new Set<string>();
  /** The same of deployments. */
  readonly deployments = new Set<string>();
  /** Deployments with a window, with its end in milliseconds since 1970. */
  readonly windows = new Map<string, number>();
  /** Deployments with a condition that breaks. */
  readonly conditioned = new Set<string>();
  /** Deployments amid which devices were deleted. */
  readonly deleting = new Set<string>();
  readonly deleted = new Set<string>();
  /** What blocked devices were answered. */
  readonly heardWhileBlocked: string[] = [];
  /** Since when, in milliseconds since 1970. */
  private readonly blocked = new Map<string, number>();

  /** @param graceMs for what was on its way when it was blocked */
  constructor(private readonly graceMs = 15_000) {}

  block(device: string): void {
    this.blocked.set(device, Date.now());
  }

  unblock(device: string): void {
    this.blocked.delete(device);
  }

  private hear(device: string, what: string): void {
    const since = this.blocked.get(device);
    if (since !== undefined && Date.now() - since > this.graceMs)
      this.heardWhileBlocked.push(`the ${what} of ${device} was acknowledged while it was blocked`);
  }

  sending({ device, kind, first, count }: SentBatch): void {
    const known = this.records[kind].get(device) ?? { acknowledged: 0, sent: 0 };
    if (first !== known.sent) throw new Error(`${device} sends ${kind} from ${first} on after ${known.sent}`);
    known.sent += count;
    this.records[kind].set(device, known);
  }

  acknowledged({ device, kind, first, count }: SentBatch): void {
    const known = this.records[kind].get(device) as SentRecords;
    known.acknowledged = first + count;
    this.hear(device, kind);
  }

  beat(device: string, number: number): void {
    const known = this.beats.get(device) ?? [];
    known.push(number);
    this.beats.set(device, known);
    this.hear(device, 'heartbeat');
  }

  effect(device: string, commandId: string, at: number): void {
    this.effects.set(commandId, [...(this.effects.get(commandId) ?? []), { device, at }]);
  }

  ended(device: string, commandId: string, status: 'succeeded' | 'failed'): void {
    this.ends.set(commandId, status);
    this.hear(device, 'command');
  }

  uploaded(_device: string, uploadId: string, sha256: string): void {
    this.uploads.set(uploadId, sha256);
  }
}
