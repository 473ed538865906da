export const COMMAND_STATES = ['pending', 'delivered', 'succeeded', 'failed', 'expired'] as const;
export type CommandState = (typeof COMMAND_STATES)[number];

/** What a device says of a command: `running` is not final. */
export const ACK_STATUSES = ['succeeded', 'failed', 'running'] as const;
export type AckStatus = (typeof ACK_STATUSES)[number];

/** A command as a device gets it. */
export interface DeliveredCommand {
  readonly id: string;
  readonly deviceId: string;
  readonly type: string;
  readonly args: Record<string, unknown>;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  /** Until then it has to be acknowledged, or to be said to be running. */
  readonly leaseUntil: Date;
  /** Distinguishes this delivery from the next. */
  readonly deliveries: number;
}
