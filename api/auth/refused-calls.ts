import type { Request } from 'express';
import type { Logger } from '../../core/logging/logger.js';
import type { TenantId } from '../../core/security/ids.js';
import type { Actor, AuditRecord } from '../../models/audit/audit.types.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { auditUnlessErased } from '../../models/tenants/tenant.platform.js';
import { actorOf } from '../http/routing/request-context.js';

const WINDOW_MS = 60_000;
/** Refusals of one person, operation, tenant and outcome that get a row each within a window; further ones share one row. */
const OWN_ROWS = 10;

type RefusedOutcome = 'denied' | 'failed';

interface Refusal {
  readonly tenantId: TenantId | null;
  readonly actor: Actor;
  readonly record: AuditRecord;
}

interface Window {
  written: number;
  /** Refusals without a row yet, and the latest of them. */
  held: number;
  last: Refusal | null;
  readonly timer: NodeJS.Timeout;
}

/**
 * A refused privileged call has an audit row of its own, written before it is answered. Somebody who
 * repeats the same refused call cannot fill the trail: what exceeds ten rows a minute, in each process, is one more row
 * at the end of the minute, with `repeated` calls in its detail.
 */
export class RefusedCalls {
  private readonly windows = new Map<string, Window>();

  constructor(
    private readonly db: Database,
    private readonly logger: Logger,
  ) {}

  /** Never throws: a trail that cannot be written turns no refusal into another answer. */
  async record(req: Request, errorId: string, outcome: RefusedOutcome): Promise<void> {
    const refusal = toRefusal(req, errorId, outcome);
    const window = this.windowOf(
      JSON.stringify([refusal.actor.id, refusal.tenantId, refusal.record.target.id, outcome]),
    );
    if (window.written >= OWN_ROWS) {
      window.held += 1;
      window.last = refusal;
      return;
    }
    window.written += 1;
    await this.write(refusal);
  }

  /** Writes what is held back. */
  close(): Promise<void> {
    return this.endWhere(() => true);
  }

  /**
   * Something about the tenant has changed: what is held of it is written now, or dropped with a tenant that is being
   * erased, so that no process keeps it.
   */
  async endTenant(tenantId: string): Promise<void> {
    await this.endWhere(({ last }) => last?.tenantId === tenantId);
  }

  private async endWhere(isMeant: (window: Window) => boolean): Promise<void> {
    for (const [key, window] of [...this.windows]) if (isMeant(window)) await this.end(key);
  }

  private windowOf(key: string): Window {
    const open = this.windows.get(key);
    if (open) return open;
    const window: Window = {
      written: 0,
      held: 0,
      last: null,
      timer: setTimeout(() => void this.end(key), WINDOW_MS).unref(),
    };
    this.windows.set(key, window);
    return window;
  }

  private async end(key: string): Promise<void> {
    const window = this.windows.get(key);
    this.windows.delete(key);
    clearTimeout(window?.timer);
    if (!window?.last) return;
    const { record, ...rest } = window.last;
    await this.write({ ...rest, record: { ...record, detail: { ...record.detail, repeated: window.held } } });
  }

  private async write({ tenantId, actor, record }: Refusal): Promise<void> {
    const written = auditUnlessErased(this.db, tenantId, actor, record);
    await written.catch((error: unknown) =>
      this.logger.warn({ err: error }, 'audit of a refused call failed'),
    );
  }
}

const toRefusal = (req: Request, errorId: string, outcome: RefusedOutcome): Refusal => ({
  tenantId: req.context.access?.tenantId ?? null,
  actor: actorOf(req),
  record: {
    action: outcome === 'denied' ? 'access.denied' : 'access.refused',
    target: { kind: 'operation', id: req.context.operationId ?? 'unknown' },
    outcome,
    errorId,
    detail: outcome === 'failed' ? { path: req.path } : {},
  },
});
