import type { Request } from 'express';
import { whenClosed } from '../http/answers/when-closed.js';

/**
 * The requests that are being answered, by their tenant and their device. When a tenant is switched off or erased, or a device
 * is blocked, revoked or deleted, they are ended like event streams: an upload that began before must not add something
 * afterwards.
 */
export class OpenRequests {
  private readonly byOwner = new Map<string, Set<Request>>();

  /** Entering twice is entering once. @param owner id of a tenant or of a device */
  enter(owner: string, req: Request): void {
    const open = this.byOwner.get(owner) ?? new Set();
    if (open.has(req)) return;
    this.byOwner.set(owner, open.add(req));
    whenClosed(req.res, () => {
      open.delete(req);
      if (open.size === 0 && this.byOwner.get(owner) === open) this.byOwner.delete(owner);
    });
  }

  /**
   * Asks for each request of the owner whether it is still allowed, and cuts those that are not.
   * @param owner null: of everybody
   */
  async recheck(owner: string | null, isAllowed: (req: Request) => Promise<boolean>): Promise<void> {
    const open =
      owner === null
        ? new Set([...this.byOwner.values()].flatMap((set) => [...set]))
        : this.byOwner.get(owner);
    for (const req of [...(open ?? [])]) {
      if (req.context.endsByItself) continue;
      if (await isAllowed(req).catch(() => false)) continue;
      req.socket.destroy();
    }
  }
}
