import type { Request } from 'express';
import type { StreamKind } from '../../core/events/stream-event.js';
import type { Permission } from '../../models/access/permission.rules.js';
import type { Authenticator } from '../auth/authenticator.platform.js';
import { accessOf, principalOf } from '../http/routing/request-context.js';
import type { SseHub, StreamRequest } from './sse-hub.js';
import type { StreamEnding } from './stream-events.js';

/**
 * What controllers open streams with. The caller has been authorised by the route and the resource found; the same
 * decision is asked again while the stream is open.
 */
export class EventStreams {
  constructor(
    private readonly hub: SseHub,
    private readonly authenticator: Authenticator,
  ) {}

  /** A stream of one tenant's resource; channel `<kind>:<tenant code>`. For a whole tenant `id` is the tenant's. */
  openForTenant(
    req: Request,
    stream: StreamKind,
    id: string,
    permission: Permission,
    ending: StreamEnding | null = null,
  ): Promise<void> {
    const { tenantId, code } = accessOf(req);
    return this.open(req, { stream, tenantId, id, channel: `${stream}:${code}`, ending }, () =>
      this.authenticator.authenticate(req, 'user', [permission]),
    );
  }

  /** The caller's own notifications, in whichever tenant; channel `notifications:<user id>`. */
  openForUser(req: Request): Promise<void> {
    const { userId } = principalOf(req);
    return this.open(
      req,
      {
        stream: 'notifications',
        tenantId: null,
        id: userId,
        channel: `notifications:${userId}`,
        ending: null,
      },
      () => this.authenticator.authenticate(req, 'session', []),
    );
  }

  /** A stream for global administrators; `code` is the tenant it is about. */
  openForAdmin(req: Request, stream: StreamKind, id: string, code: string): Promise<void> {
    return this.open(req, { stream, tenantId: null, id, channel: `${stream}:${code}`, ending: null }, () =>
      this.authenticator.authenticate(req, 'admin', []),
    );
  }

  private open(
    req: Request,
    place: Pick<StreamRequest, 'stream' | 'tenantId' | 'id' | 'channel' | 'ending'>,
    authorise: () => Promise<unknown>,
  ): Promise<void> {
    const { userId, sessionId } = principalOf(req);
    if (!req.res) throw new TypeError('the request has no response');
    req.context.endsByItself = true;
    return this.hub.open(req, req.res, {
      ...place,
      userId,
      sessionId,
      stillAllowed: () => authorise().then(() => true),
    });
  }
}
