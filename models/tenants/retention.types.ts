/** Kinds of records that this version keeps; telemetry comes with the devices that send it. */
export type RetainedKind = 'logs' | 'audit' | 'uploads' | 'inference';

export interface Retained {
  readonly tenantId: string;
  /** What is older is over. */
  readonly before: Date;
}
