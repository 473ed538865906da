import type { Request, RequestHandler } from 'express';
import { describe, expect, it } from '@jest/globals';
import { crossSiteGuard, hostGuard } from '../../api/http/guards/browser-guard.js';

const PUBLIC = 'https://visionops.example.com';

/** @returns whether the request passes */
const passes = (guard: RequestHandler, headers: Record<string, string>): boolean => {
  let error: unknown;
  const request = {
    headers,
    rawHeaders: Object.entries(headers).flat(),
    method: 'POST',
    path: '/auth/cookie/login',
  } as unknown as Request;
  void guard(request, {} as never, (given?: unknown) => {
    error = given;
  });
  return error === undefined;
};

describe('the Host of a request', () => {
  it.each([
    ['visionops.example.com', true],
    ['visionops.example.com:8443', true],
    ['127.0.0.1:8080', true],
    ['localhost:8080', true],
    ['[::1]:8080', true],
    ['evil.example', false],
    ['127.0.0.1.evil.example', false],
    ['localhost.evil.example:8080', false],
    ['169.254.169.254', false],
    ['', false],
  ])('%s on a service with an address of its own passes: %s', (host, expected) => {
    expect(passes(hostGuard(PUBLIC), { host })).toBe(expected);
  });

  it('may be that of the address which programs within the installation use', () => {
    expect(
      passes(hostGuard(PUBLIC, 'http://api.visionops.svc:8080'), { host: 'api.visionops.svc:8080' }),
    ).toBe(true);
  });
});

describe('a sign-in from a page', () => {
  it.each([
    [PUBLIC, 'visionops.example.com', true],
    [PUBLIC, '127.0.0.1:8080', true],
    ['http://127.0.0.1:8080', '127.0.0.1:8080', true],
    ['http://127.0.0.1:9999', '127.0.0.1:8080', false],
    ['http://localhost:8080', 'visionops.example.com', false],
    ['http://127.0.0.1:8080', 'visionops.example.com', false],
    ['https://evil.example', '127.0.0.1:8080', false],
    ['null', '127.0.0.1:8080', false],
  ])('of %s with Host %s passes: %s', (origin, host, expected) => {
    expect(passes(crossSiteGuard(PUBLIC), { origin, host })).toBe(expected);
  });
});
