import type { Request } from 'express';

/**
 * The requests of each tenant that are being answered. When a tenant is switched off or erased they are ended like its event
 * streams: an upload that began before must not add something afterwards.
 */
export class OpenRequests {
  private readonly byTenant = new Map<string, Set<Request>>();

  /** Entering twice is entering once. */
  enter(tenantId: string, req: Request): void {
    const open = this.byTenant.get(tenantId) ?? new Set();
    if (open.has(req)) return;
    this.byTenant.set(tenantId, open.add(req));
    req.res?.once('close', () => {
      open.delete(req);
      if (open.size === 0 && this.byTenant.get(tenantId) === open) this.byTenant.delete(tenantId);
    });
  }

  /** Asks for each request of the tenant whether it is still allowed, and cuts those that are not. */
  async recheck(tenantId: string, isAllowed: (req: Request) => Promise<boolean>): Promise<void> {
    for (const req of [...(this.byTenant.get(tenantId) ?? [])]) {
      // Event streams end by themselves, in good order.
      if (String(req.res?.getHeader('content-type') ?? '').startsWith('text/event-stream')) continue;
      if (await isAllowed(req).catch(() => false)) continue;
      req.socket.destroy();
    }
  }
}
