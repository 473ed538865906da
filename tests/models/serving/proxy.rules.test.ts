import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mayProxy, requestHeaders, responseHeaders } from '../../../models/serving/proxy.rules.js';

describe('the proxy', () => {
  it('lets exactly four words through, each with its method', () => {
    expect(
      ['ping', 'health', 'version', 'invocations'].map((path) => [
        mayProxy('GET', path),
        mayProxy('POST', path),
      ]),
    ).toEqual([
      [true, false],
      [true, false],
      [true, false],
      [false, true],
    ]);
    expect([mayProxy('HEAD', 'ping'), mayProxy('PUT', 'invocations'), mayProxy('DELETE', 'ping')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it.each([
    '',
    '.',
    '..',
    '../ping',
    './ping',
    '/ping',
    'ping/',
    'ping/..',
    '//ping',
    '\\ping',
    '..\\ping',
    '%2e%2e',
    'ping%00',
    'ping\0',
    'ping\r\nx',
    'PING',
    'http://x/ping',
    '@x/ping',
    'ping?x',
    'ping#',
    'constructor',
    '__proto__',
  ])('refuses %j', (path) => {
    expect([mayProxy('GET', path), mayProxy('POST', path)]).toEqual([false, false]);
  });

  it('refuses whatever else there is', () => {
    fc.assert(
      fc.property(
        fc.string(),
        (path) =>
          ['ping', 'health', 'version', 'invocations'].includes(path) ||
          !(mayProxy('GET', path) || mayProxy('POST', path)),
      ),
    );
  });

  it('keeps from the model who calls and how, also what Connection names', () => {
    const sent = {
      cookie: 'svcauth=1',
      Authorization: 'Bearer x',
      'X-Tenant': 'demo',
      'x-edge-token': 'y',
      connection: 'close, X-Secret',
      'x-secret': '1',
      'transfer-encoding': 'chunked',
      te: 'trailers',
      upgrade: 'h2c',
      'x-forwarded-for': '1.2.3.4',
      host: 'a',
      'content-type': 'image/png',
      accept: '*/*',
      'x-mine': 'kept',
    };
    expect(requestHeaders(sent)).toEqual({ 'content-type': 'image/png', accept: '*/*', 'x-mine': 'kept' });
  });

  it('keeps from the caller what a model has no say in', () => {
    const answered = {
      'set-cookie': ['a=1'],
      'www-authenticate': 'Basic',
      'content-security-policy': 'x',
      'access-control-allow-origin': '*',
      'transfer-encoding': 'chunked',
      connection: 'keep-alive',
      location: 'http://x',
      'content-type': 'application/json',
      'content-length': '2',
      'content-encoding': 'gzip',
    };
    expect(responseHeaders(answered)).toEqual({
      'content-type': 'application/json',
      'content-length': '2',
      'content-encoding': 'gzip',
    });
  });
});
