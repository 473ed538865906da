/** Kinds of records that this version keeps; telemetry and inference come with the devices that send them. */
export type RetainedKind = 'logs' | 'audit' | 'uploads';

export interface Retained {
  readonly tenantId: string;
  /** What is older is over. */
  readonly before: Date;
}
