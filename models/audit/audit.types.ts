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
