import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { errorMiddleware } from '../../../api/http/answers/error-middleware.js';
import { requestContext } from '../../../api/http/routing/request-context.js';
import { sendObject, sendUnchanged } from '../../../api/http/answers/send-object.js';
import { unavailable } from '../../../core/errors/app-error.js';
import { createLogger } from '../../../core/logging/logger.js';

const { logger } = createLogger({ level: 'fatal', name: 'test', file: null });
const names = [
  'etag',
  'cache-control',
  'accept-ranges',
  'content-range',
  'last-modified',
  'content-disposition',
  'content-type',
  'retry-after',
];

describe('an error after the headers of a file', () => {
  let server: Server;
  afterAll(() => {
    server?.closeAllConnections();
    server?.close();
  });

  it('carries its own headers alone', async () => {
    const app = express().disable('etag').use(requestContext);
    app.get('/preview', (req) => {
      sendUnchanged(req, 'abc');
      throw unavailable('Too many previews.', undefined, 2);
    });
    app.get('/object', (req) => {
      req.res?.setHeader('Last-Modified', new Date(0).toUTCString());
      const open = () => Promise.reject(unavailable('The store is away.', undefined, 3));
      return sendObject(req, {
        sizeBytes: 9,
        etag: 'abc',
        mediaType: 'image/png',
        isInline: true,
        fileName: 'a.png',
        open,
      });
    });
    app.use(errorMiddleware({ logger, onRefused: async () => undefined }));
    server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const get = async (path: string, range?: string) => {
      const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {
        headers: range ? { range } : {},
      });
      return [answer.status, ...names.map((name) => answer.headers.get(name))];
    };
    const json = 'application/json; charset=utf-8';
    expect(await get('/preview')).toEqual([503, null, null, null, null, null, null, json, '2']);
    for (const range of [undefined, 'bytes=2-4'])
      expect(await get('/object', range)).toEqual([503, null, null, null, null, null, null, json, '3']);
    expect(await get('/object', 'bytes=20-')).toEqual([
      416,
      null,
      null,
      null,
      'bytes */9',
      null,
      null,
      json,
      null,
    ]);
  });
});
