import type { DeliveredCommand } from './simulation.types.js';

export type AckStatus = 'running' | 'succeeded' | 'failed';

export interface CommandEnd {
  readonly status: Exclude<AckStatus, 'running'>;
  readonly result: Readonly<Record<string, unknown>>;
}

/** How long a delivery belongs to a poll, in milliseconds, as the guide for devices says. */
const LEASE_MS = 60_000;
/** By the platform's own clock, in milliseconds. */
export const deliveredAt = ({ lease_until }: DeliveredCommand): number => Date.parse(lease_until) - LEASE_MS;

/** Milliseconds from its delivery to its end, both by the platform's own clock. */
export const lifeOf = (command: DeliveredCommand): number =>
  command.expires_at === null
    ? Number.POSITIVE_INFINITY
    : Date.parse(command.expires_at) - deliveredAt(command);

/** Ended commands that are remembered; the platform delivers none of them again. */
const MOST_ENDED = 200;

/** What a device remembers of commands, also while it is off, so that each is run once. */
export class KnownCommands {
  /** Was run; the platform has not taken the last word yet. */
  private readonly open = new Map<string, CommandEnd>();
  private readonly begun = new Set<string>();
  private readonly leases = new Map<string, number>();
  private readonly ended = new Set<string>();

  /** What is still to be acknowledged. */
  get unacknowledged(): ReadonlyArray<readonly [string, CommandEnd]> {
    return [...this.open];
  }

  endOf(id: string): CommandEnd | null {
    return this.open.get(id) ?? null;
  }

  /** @returns false where it goes on with what was interrupted */
  begin(id: string): boolean {
    const isNew = !this.begun.has(id);
    this.begun.add(id);
    return isNew;
  }

  /** The platform has promised that until then nobody gets the command again. */
  renewLease(id: string, until: number): void {
    if (!this.ended.has(id)) this.leases.set(id, until);
  }

  carriedOut(id: string, end: CommandEnd): void {
    this.open.set(id, end);
  }

  acknowledged(id: string): void {
    this.open.delete(id);
    this.leases.delete(id);
    this.begun.delete(id);
    this.ended.add(id);
    const [oldest] = this.ended;
    if (this.ended.size > MOST_ENDED && oldest !== undefined) this.ended.delete(oldest);
  }

  /** What is wrong with a delivery by the platform's own clock; null: nothing. */
  breachOf(command: DeliveredCommand): string | null {
    const { id, expires_at } = command;
    if (lifeOf(command) <= 0) return `the command ${id} was delivered after it had expired at ${expires_at}`;
    if (this.ended.has(id)) return `the command ${id} was delivered though its end was acknowledged`;
    const lease = this.leases.get(id);
    if (lease !== undefined && deliveredAt(command) < lease)
      return `the command ${id} was delivered again before its lease ran out`;
    return null;
  }
}
