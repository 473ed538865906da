import type { WorkflowStart } from '../../core/ports/workflow-engine.js';
import type { Transaction } from '../orm/transaction.js';
import { insertEntries, type LeasedRow, type NewRow } from './dispatch.sql.js';
import type { SealedMail } from './sealed-mail.js';

interface Signal {
  readonly kind: 'signal';
  readonly tenantId: string | null;
  readonly workflowId: string;
  readonly signal: string;
  readonly args: readonly unknown[];
  /** What is started, again if need be, where no such workflow runs; without it the signal is then dropped. */
  readonly start?: WorkflowStart;
}

/** What must happen once the transaction commits. The dispatcher of a worker delivers it, at least once. */
export type DispatchEntry =
  | { readonly kind: 'start'; readonly start: WorkflowStart }
  | Signal
  | { readonly kind: 'cancel'; readonly tenantId: string | null; readonly workflowId: string }
  | { readonly kind: 'mail'; readonly tenantId: string | null; readonly mail: SealedMail }
  /** Mails to an address, waiting or kept as files, that were asked for before. */
  | { readonly kind: 'mail-removal'; readonly tenantId: null; readonly address: string };

/**
 * `<kind>:<tenantId>:<rowId>:<attempt>`: an id never runs twice, every legitimate repeat has its own attempt.
 */
export const workflowId = (kind: string, tenantId: string | null, rowId: string, attempt: number): string =>
  `${kind}:${tenantId ?? 'platform'}:${rowId}:${attempt}`;

/** Writes an entry in the caller's transaction, so that it exists exactly when the change does. */
export const dispatch = (tx: Transaction, entry: DispatchEntry): Promise<void> => dispatchAll(tx, [entry]);

/** As `dispatch`, for many entries in one statement; they are delivered in this order. */
export async function dispatchAll(tx: Transaction, entries: readonly DispatchEntry[]): Promise<void> {
  if (entries.length > 0) await insertEntries(tx, entries.map(toRow));
}

function toRow(entry: DispatchEntry): NewRow {
  const { kind } = entry;
  switch (kind) {
    case 'start':
      return {
        kind,
        tenantId: entry.start.tenantId,
        workflowId: entry.start.workflowId,
        payload: entry.start,
      };
    case 'signal': {
      const { tenantId, signal, args, start } = entry;
      return { kind, tenantId, workflowId: entry.workflowId, payload: { signal, args, start } };
    }
    case 'cancel':
      return { kind, tenantId: entry.tenantId, workflowId: entry.workflowId, payload: {} };
    case 'mail':
      return { kind, tenantId: entry.tenantId, workflowId: null, payload: entry.mail };
    case 'mail-removal':
      return { kind, tenantId: null, workflowId: null, payload: { address: entry.address } };
  }
}

/** The entry that a row was written for. */
export function toEntry({ tenantId, workflowId: id, ...row }: LeasedRow): DispatchEntry {
  const payload = row.payload as Record<string, never>;
  const to = id ?? '';
  switch (row.kind as DispatchEntry['kind']) {
    case 'start':
      return { kind: 'start', start: row.payload as WorkflowStart };
    case 'signal':
      return {
        kind: 'signal',
        tenantId,
        workflowId: to,
        signal: String(payload.signal),
        args: payload.args ?? [],
        ...(payload.start === undefined ? {} : { start: payload.start }),
      };
    case 'cancel':
      return { kind: 'cancel', tenantId, workflowId: to };
    case 'mail':
      return { kind: 'mail', tenantId, mail: row.payload as SealedMail };
    case 'mail-removal':
      return { kind: 'mail-removal', tenantId: null, address: String(payload.address) };
  }
}
