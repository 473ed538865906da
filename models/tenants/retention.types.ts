/** Kinds of records that a tenant may limit. */
export type RetainedKind = 'logs' | 'audit' | 'uploads' | 'telemetry' | 'inference';

export interface Retained {
  readonly tenantId: string;
  /** What is older is over. */
  readonly before: Date;
}
