import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { whenClosed } from '../answers/when-closed.js';
import { callerAddress } from './caller-address.js';
import { badRequest, unauthorized } from '../../../core/errors/app-error.js';
import type { Actor } from '../../../models/audit/audit.types.js';
import type { DeviceCaller } from '../../../models/edge/devices/device-caller.types.js';
import type { Principal, TenantAccess } from '../../../models/accounts/principal.types.js';

/** What one request carries from the edge to the service. */
export interface RequestContext {
  readonly requestId: string;
  /** On the clock of `performance.now()`, in milliseconds. */
  readonly startedAt: number;
  /** Route pattern such as `/api/v1/datasets/:dataset_id`; null until routed. The only path that is logged as a label. */
  route: string | null;
  operationId: string | null;
  /** Path parameters of the route; `req.params` is taken back by Express before errors are answered. */
  params: Readonly<Record<string, string>>;
  /** Refusals by rule of calls to the route are audited. */
  isPrivileged: boolean;
  principal: Principal | null;
  access: TenantAccess | null;
  /** Set on routes with access `device`. */
  device: DeviceCaller | null;
  /** Sha256 of the body of a batch, hex; empty for other bodies. */
  bodyHash: string;
  /** Event streams and held polls end in good order once their caller may not go on; other requests are cut. */
  endsByItself: boolean;
}

declare module 'express-serve-static-core' {
  interface Request {
    context: RequestContext;
  }
}

const ACCEPTED_ID = /^[\w-]{8,64}$/;
/** Eleven watch for the end of a download to a device; beyond ten Node takes them for a leak. */
const MOST_WATCHERS = 20;

export const requestContext: RequestHandler = (req, res, next) => {
  res.setMaxListeners(MOST_WATCHERS);
  const given = req.headers['x-request-id'];
  const requestId = typeof given === 'string' && ACCEPTED_ID.test(given) ? given : randomUUID();
  req.context = {
    requestId,
    startedAt: performance.now(),
    route: null,
    operationId: null,
    params: {},
    isPrivileged: false,
    principal: null,
    access: null,
    device: null,
    bodyHash: '',
    endsByItself: false,
  };
  next();
};

/** The signed-in person; routes with access `session`, `admin` or `user` always have one. */
export function principalOf(req: Request): Principal {
  if (!req.context.principal) throw unauthorized();
  return req.context.principal;
}

/** The tenant the request works in; routes with access `user` always have one. */
export function accessOf(req: Request): TenantAccess {
  if (!req.context.access) throw unauthorized();
  return req.context.access;
}

/** Who to write into the audit row of this request's change. */
export function actorOf(req: Request): Actor {
  const principal = req.context.principal;
  return {
    id: principal?.userId ?? null,
    email: principal?.email ?? null,
    fullName: principal?.fullName ?? null,
    ip: callerAddress(req),
  };
}

/** The device that calls; routes with access `device` always have one. */
export function deviceOf(req: Request): DeviceCaller {
  if (!req.context.device) throw unauthorized();
  return req.context.device;
}

/** Who to write into the audit row of what a device does. */
export const deviceActorOf = (req: Request): Actor => ({
  id: null,
  email: null,
  fullName: `device ${deviceOf(req).key}`,
  ip: callerAddress(req),
});

/** What a service needs to know of the caller: tenant, role and who acts. */
export interface Caller {
  readonly tenant: TenantAccess;
  readonly principal: Principal;
  readonly actor: Actor;
}

export const callerOf = (req: Request): Caller => ({
  tenant: accessOf(req),
  principal: principalOf(req),
  actor: actorOf(req),
});

/** Aborted when the connection closes before the answer is complete; the reason is no failure of ours. */
export function whenClientLeaves(req: Request): AbortSignal {
  const left = new AbortController();
  whenClosed(req.res, () => left.abort(badRequest('The caller left before the answer was ready.')));
  return left.signal;
}
