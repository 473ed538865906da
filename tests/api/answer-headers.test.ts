import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { installAnswerHeaders } from '../../api/http/library-patches/answer-headers.js';
import { requestContext } from '../../api/http/routing/request-context.js';

let server: Server;
let base: string;

beforeAll(async () => {
  const app = express();
  installAnswerHeaders(app);
  app.use(requestContext);
  app.get('/data', (_req, res) => void res.json({ name: 'Zoë' }));
  app.get('/named', (_req, res) => void res.setHeader('Location', '/data').status(201).json({ id: 1 }));
  app.get('/page', (_req, res) => void res.type('html').send('<p>page</p>'));
  app.get('/nothing', (_req, res) => void res.status(204).json({ ignored: true }));
  app.get('/stream', (_req, res) => void res.writeHead(200, { 'Content-Type': 'text/plain' }).end('text'));
  server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

describe('the headers of an answer', () => {
  it.each(['/data', '/named', '/page', '/nothing', '/stream'])('protect and identify %s', async (path) => {
    const { headers } = await fetch(base + path, { headers: { 'X-Request-Id': 'given-by-caller' } });
    expect(headers.get('x-request-id')).toBe('given-by-caller');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });

  it('state type and length of JSON in bytes', async () => {
    const answer = await fetch(`${base}/data`);
    const text = await answer.text();
    expect(JSON.parse(text)).toEqual({ name: 'Zoë' });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  });

  it('keep what the handler set itself', async () => {
    const answer = await fetch(`${base}/named`);
    expect([answer.status, answer.headers.get('location'), await answer.json()]).toEqual([
      201,
      '/data',
      { id: 1 },
    ]);
  });

  it('come without a body where the status allows none, and for HEAD', async () => {
    const nothing = await fetch(`${base}/nothing`);
    expect([nothing.status, await nothing.text()]).toEqual([204, '']);
    const head = await fetch(`${base}/data`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '15', '']);
  });
});
