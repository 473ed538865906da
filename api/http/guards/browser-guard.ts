import type { RequestHandler } from 'express';
import { forbidden, AppError } from '../../../core/errors/app-error.js';
import { SESSION_COOKIE } from './session-cookie.js';

const UNSAFE = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Refuses requests whose Host is not ours (DNS rebinding). The loopback names are always allowed:
 * programs of this machine use them, and a page that rebinds its name sends that name.
 * @param urls the address people use, and the one of programs within the installation
 */
export function hostGuard(...urls: readonly string[]): RequestHandler {
  const allowed = hostNames(urls);
  // Nearly every request carries the same text: it is taken apart once.
  let lastAllowed: string | null = null;
  return (req, _res, next) => {
    // Node's reader keeps one of two; a proxy in front may have judged the other.
    if (hasTwoHosts(req.rawHeaders))
      return next(new AppError('bad_request', 'The request has more than one Host header.'));
    const given = req.headers.host ?? '';
    if (given === lastAllowed) return next();
    const host = hostOf(given);
    if (host === null || !allowed.has(host))
      return next(new AppError('bad_request', 'The Host header does not name this service.'));
    lastAllowed = given;
    next();
  };
}

/**
 * Cross-site request check for cookie sessions: an unsafe call that carries the cookie must come from our own pages.
 * Scripts with a cookie and neither header pass: they are not browsers. Calls with a bearer or device token are
 * skipped: no page can send them elsewhere. Other credentials a page can, by an address that holds them.
 */
export function crossSiteGuard(baseUrl: string): RequestHandler {
  const ownOrigin = new URL(baseUrl).host;
  return (req, _res, next) => {
    if (!UNSAFE.has(req.method)) return next();
    const carriesCookie =
      req.headers.cookie?.includes(`${SESSION_COOKIE}=`) === true || req.path.startsWith('/auth/');
    if (!carriesCookie || isBearer(req.headers.authorization) || req.headers['x-edge-token'] !== undefined)
      return next();
    const site = req.headers['sec-fetch-site'];
    if (typeof site === 'string')
      return next(site === 'same-origin' || site === 'none' ? undefined : crossSite());
    const origin = req.headers.origin;
    if (origin === undefined) return next();
    // Port and all: another service on the same machine is another site. The Host header itself has been checked.
    const from = origin.replace(/^https?:\/\//, '');
    return next(from === ownOrigin || from === req.headers.host ? undefined : crossSite());
  };
}

const isBearer = (authorization: string | undefined): boolean =>
  authorization !== undefined && /^bearer /i.test(authorization);

const crossSite = () =>
  forbidden('This call came from another site. Make it from the console itself or with a bearer token.');

function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let found = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if ((rawHeaders[at] as string).toLowerCase() === 'host') found += 1;
  return found > 1;
}

function hostNames(urls: readonly string[]): Set<string> {
  return new Set([...LOOPBACK, ...urls.map((url) => new URL(url).hostname)]);
}

function hostOf(host: string): string | null {
  return /^(\[[0-9a-f:]+\]|[a-z0-9.-]+)(:\d+)?$/i.exec(host)?.[1]?.toLowerCase() ?? null;
}
