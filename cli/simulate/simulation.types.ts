/** Ways in which devices of the field misbehave, and the platform has to bear it. */
export const MISBEHAVIOURS = ['resend', 'cut', 'skew', 'flap'] as const;
export type Misbehaviour = (typeof MISBEHAVIOURS)[number];

export interface SimulationOptions {
  /** Address of the platform, without a slash at its end. */
  readonly url: string;
  readonly tenant: string;
  readonly count: number;
  /** Null: until it is asked to stop. */
  readonly durationS: number | null;
  /** Between two heartbeats, and between two batches of a kind, of a device; null: by its policy. */
  readonly intervalS: number | null;
  readonly misbehave: ReadonlySet<Misbehaviour>;
  /** Share of deployments that a device reports as failed, 0 to 1. */
  readonly failDeploys: number;
  /** The same seed makes the same choices; their moments depend on the platform too. */
  readonly seed: number;
  /** Ids are `<prefix>-<number>`. */
  readonly prefix: string;
  /** Longest pause of a device between two tries while the platform is away. */
  readonly longestPauseS: number;
}

export type RecordKind = 'telemetry' | 'inference';

/** Records that a device sends at once; each holds its number, from `first` on, which the device uses once for the kind. */
export interface SentBatch {
  readonly device: string;
  readonly kind: RecordKind;
  readonly first: number;
  readonly count: number;
}

/** A command as a device gets it. */
export interface DeliveredCommand {
  readonly id: string;
  readonly type: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly expires_at: string | null;
  readonly lease_until: string;
}

/** Who wants to compare later the answers that devices got with what the platform keeps. */
export interface SimulationLedger {
  /** Before the first byte of a batch goes out. */
  sending(batch: SentBatch): void;
  acknowledged(batch: SentBatch): void;
  /** An acknowledged heartbeat, by its number. */
  beat(device: string, number: number): void;
  /** A device carries a command out, at a time in milliseconds since 1970. */
  effect(device: string, commandId: string, at: number): void;
  /** The platform took the last word about a command. */
  ended(device: string, commandId: string, status: 'succeeded' | 'failed'): void;
  /** The platform has all chunks of an upload. */
  uploaded(device: string, uploadId: string, sha256: string): void;
}

const nothing = () => undefined;

/** Remembers nothing, however long it runs. */
export const NO_LEDGER: SimulationLedger = {
  ...{ sending: nothing, acknowledged: nothing, beat: nothing },
  ...{ effect: nothing, ended: nothing, uploaded: nothing },
};
