import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { pino } from 'pino';
import { errorMiddleware } from '../../../api/http/answers/error-middleware.js';
import { requestContext } from '../../../api/http/routing/request-context.js';
import { unavailable } from '../../../core/errors/app-error.js';

describe('the log of refused requests', () => {
  const lines: Array<Record<string, unknown>> = [];
  let server: Server;
  beforeAll(async () => {
    const logger = pino({}, { write: (line) => lines.push(JSON.parse(line)) });
    const app = express().use(requestContext);
    app.get('/full', () => {
      throw unavailable('Too many at once.', undefined, 2);
    });
    app.get('/away', () => {
      throw unavailable('The database is away.', new Error('connection refused'));
    });
    app.use(errorMiddleware({ logger, onRefused: async () => undefined }));
    server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server?.closeAllConnections();
    server?.close();
  });

  it('has the cause and the stack where something failed, and neither where there was no room', async () => {
    const { port } = server.address() as AddressInfo;
    const get = async (path: string) => {
      lines.length = 0;
      const { status } = await fetch(`http://127.0.0.1:${port}${path}`);
      return [status, lines.map(({ level, msg, err }) => [level, msg, JSON.stringify(err) ?? null])];
    };
    expect(await get('/full')).toEqual([503, [[40, 'Too many at once.', null]]]);
    expect(await get('/away')).toEqual([
      503,
      [[50, 'The database is away.', expect.stringMatching(/connection refused.*error-log\.test/)]],
    ]);
  });
});
