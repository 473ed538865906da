import type { WorkflowStart } from '../../core/ports/workflow-engine.js';
import type { SealedMail } from './sealed-mail.js';
import type { Transaction } from './transaction.js';

/** What must happen once the transaction commits. The dispatcher of a worker carries it out, at least once. */
export type DispatchEntry =
  | { readonly kind: 'start'; readonly start: WorkflowStart }
  | { readonly kind: 'signal'; readonly tenantId: string | null; readonly workflowId: string; readonly signal: string; readonly args: readonly unknown[] }
  | { readonly kind: 'cancel'; readonly tenantId: string | null; readonly workflowId: string }
  | { readonly kind: 'mail'; readonly tenantId: string | null; readonly mail: SealedMail }
  /** Mails to an address, waiting or kept as files, that were asked for before. */
  | { readonly kind: 'mail-removal'; readonly tenantId: null; readonly address: string };

/** `<kind>:<tenantId>:<rowId>:<attempt>`: an id never runs twice, every legitimate repeat has its own attempt. */
export const workflowId = (kind: string, tenantId: string | null, rowId: string, attempt: number): string => `${kind}:${tenantId ?? 'platform'}:${rowId}:${attempt}`;

/** Writes an entry in the caller's transaction, so that it exists exactly when the change does. */
export async function dispatch(tx: Transaction, entry: DispatchEntry): Promise<void> {
  const [tenantId, workflow, payload] = columns(entry);
  await tx.execute('insert into dispatch (tenant_id, kind, workflow_id, payload) values ($1, $2, $3, $4)', [tenantId, entry.kind, workflow, JSON.stringify(payload)]);
}

/** As `dispatch`, for many entries in one statement; they are carried out in this order. */
export async function dispatchAll(tx: Transaction, entries: readonly DispatchEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map((entry) => ({ kind: entry.kind, columns: columns(entry) }));
  await tx.execute(
    `insert into dispatch (tenant_id, kind, workflow_id, payload)
     select tenant, kind, workflow, payload from unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[]) with ordinality as e (tenant, kind, workflow, payload, place) order by place`,
    [rows.map((row) => row.columns[0]), rows.map((row) => row.kind), rows.map((row) => row.columns[1]), rows.map((row) => JSON.stringify(row.columns[2]))],
  );
}

function columns(entry: DispatchEntry): [string | null, string | null, unknown] {
  switch (entry.kind) {
    case 'start':
      return [entry.start.tenantId, entry.start.workflowId, entry.start];
    case 'signal':
      return [entry.tenantId, entry.workflowId, { signal: entry.signal, args: entry.args }];
    case 'cancel':
      return [entry.tenantId, entry.workflowId, {}];
    case 'mail':
      return [entry.tenantId, null, entry.mail];
    case 'mail-removal':
      return [null, null, { address: entry.address }];
  }
}
