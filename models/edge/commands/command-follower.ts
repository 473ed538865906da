import type { StreamEvent } from '../../../core/events/stream-event.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { AckStatus } from './command.types.js';

/** An acknowledgement of a command, which said something new. */
export interface Acknowledged {
  readonly commandId: string;
  readonly type: string;
  readonly status: AckStatus;
  readonly result: Readonly<Record<string, unknown>> | null;
  /** It had expired by the first word of its device, which may be given within the lease all the same. */
  readonly isLate: boolean;
}

/** Whoever gives commands of a type of their own, which nobody else gives. */
export interface CommandFollower {
  /** The call by which people ask for it. */
  readonly askedBy: string;
  /** Follows what devices say of them in the same transaction. */
  follow(tx: TenantTransaction, acknowledged: Acknowledged, now: Date): Promise<readonly StreamEvent[]>;
}
