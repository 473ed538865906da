import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { opensAccount } from '../../cli/supervisor/administrator.js';

const SIGNED_IN = [200, { access_token: 't' }] as const;
const REFUSED = [400, { detail: 'LOGIN_BAD_CREDENTIALS' }] as const;
const BUSY = [429, { detail: 'Too many sign-ins.' }] as const;
const BROKEN = [400, { detail: 'The Host header does not name this service.' }] as const;

describe('whether the generated password opens the account', () => {
  let server: Server | null = null;
  afterEach(() => void server?.close());

  /** Answers sign-ins one after the other, the last one for ever. */
  const listen = async (...answers: ReadonlyArray<readonly [number, object]>): Promise<string> => {
    let index = 0;
    server = createServer((req, res) => {
      const [status, body] =
        req.url === '/auth/jwt/login'
          ? (answers[Math.min(index++, answers.length - 1)] as readonly [number, object])
          : ([204, {}] as const);
      res
        .writeHead(status, { 'content-type': 'application/json' })
        .end(status === 204 ? undefined : JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const ask = (base: string, signal = new AbortController().signal) =>
    opensAccount(base, 'a@b.c', 'p', signal, { tries: 3, pauseMs: 5 });

  it('is no only when the API refuses the password itself', async () => {
    expect(await ask(await listen(REFUSED))).toBe('no');
  });

  it.each([
    ['a slowed-down sign-in', BUSY],
    ['another refusal', BROKEN],
  ])('is asked again after %s', async (_name, first) => {
    expect(await ask(await listen(first, SIGNED_IN))).toBe('yes');
    server?.close();
    expect(await ask(await listen(first, REFUSED))).toBe('no');
  });

  it('stays unknown when the API never answers', async () => {
    expect(await ask(await listen(BUSY))).toBe('unknown');
    expect(await ask('http://127.0.0.1:9')).toBe('unknown');
  });

  it('is not asked again once the start is to stop', async () => {
    expect(await ask(await listen(SIGNED_IN), AbortSignal.abort())).toBe('unknown');
  });
});
