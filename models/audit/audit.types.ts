/** Who did it. Null ids stand for the platform itself (effects of durable work). */
export interface Actor {
  readonly id: string | null;
  readonly email: string | null;
  readonly fullName: string | null;
  readonly ip: string | null;
}

export const SYSTEM_ACTOR: Actor = { id: null, email: null, fullName: 'system', ip: null };

export type AuditOutcome = 'success' | 'denied' | 'failed';

export interface AuditRecord {
  /** Dotted verb in the domain's words, such as `dataset.create`. */
  readonly action: string;
  readonly target: { readonly kind: string; readonly id: string; readonly label?: string | null };
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly outcome?: AuditOutcome;
  readonly errorId?: string | null;
}

/** All given conditions must hold; null asks for nothing. */
export interface AuditFilter {
  readonly actionPrefix: string | null;
  readonly tenantId: string | null;
  /** Inclusive, to the millisecond. */
  readonly since: Date | null;
  /** Inclusive, to the millisecond. */
  readonly until: Date | null;
  /** Part of the e-mail address or name of who did it. */
  readonly actor: string | null;
  /** Part of the target's id or label. */
  readonly target: string | null;
  /** Entries that their tenant keeps no longer and that are not removed yet. */
  readonly hidden: readonly HiddenAudit[];
}

/** Entries of a tenant before a time are not shown any more. */
export interface HiddenAudit {
  readonly tenantId: string;
  readonly before: Date;
}

/** Where a list stands: the time in microseconds since 1970 and the id of the last row that was read. */
export interface AuditPlace {
  readonly atUs: number;
  readonly id: number;
}

export interface AuditRow extends AuditPlace {
  readonly at: Date;
  readonly tenantCode: string | null;
  readonly actorId: string | null;
  readonly actorEmail: string | null;
  readonly actorName: string | null;
  readonly action: string;
  readonly targetKind: string;
  readonly targetId: string;
  readonly targetLabel: string | null;
  readonly outcome: AuditOutcome;
  readonly ip: string | null;
  readonly errorId: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}
