import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express, { type Request } from 'express';
import { errorMiddleware } from '../../../api/http/answers/error-middleware.js';
import { sendDownload } from '../../../api/http/answers/send-download.js';
import { sendObject } from '../../../api/http/answers/send-object.js';
import { sendText } from '../../../api/http/answers/send-text.js';
import { requestContext } from '../../../api/http/routing/request-context.js';
import { createLogger } from '../../../core/logging/logger.js';
import { sendArchive } from '../../../api/tracker/send-archive.js';

const { logger } = createLogger({ level: 'fatal', name: 'test', file: null });

/** More than sockets hold. */
const endless = () => Readable.from(pieces(), { objectMode: false });
async function* pieces() {
  for (;;) yield Buffer.alloc(65_536);
}
const file = { fileName: 'a', mediaType: 'image/png', sizeBytes: 2 ** 40, etag: 'abc', isInline: true };

type Send = (req: Request, open: () => Promise<Readable>) => Promise<unknown>;
const WAYS: Record<string, Send> = {
  object: (req, open) => sendObject(req, { ...file, open }),
  download: (req, open) => sendDownload(req, { ...file, open }),
  archive: (req, open) => sendArchive(req, async () => ({ fileName: 'a.zip', body: await open() })),
};

describe('a reader who leaves', () => {
  let server: Server;
  /** What the request under way opens. */
  let opened: PromiseWithResolvers<Readable>;
  let ended: PromiseWithResolvers<unknown>;
  let mayAnswer: PromiseWithResolvers<void>;
  let mayOpen: PromiseWithResolvers<void>;
  let begun: PromiseWithResolvers<Request>;

  beforeAll(async () => {
    const app = express().use(requestContext);
    app.get('/:way', async (req) => {
      begun.resolve(req);
      await mayAnswer.promise;
      const open = async () => {
        await mayOpen.promise;
        const body = endless();
        opened.resolve(body);
        return body;
      };
      const send = WAYS[String(req.params.way)] as Send;
      await send(req, open).then(ended.resolve, ended.reject);
    });
    app.use(errorMiddleware({ logger, onRefused: async () => undefined }));
    server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  async function begin(way: string) {
    [opened, ended] = [Promise.withResolvers<Readable>(), Promise.withResolvers<unknown>()];
    [mayAnswer, mayOpen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    begun = Promise.withResolvers<Request>();
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(`GET /${way} HTTP/1.1\r\nHost: here\r\n\r\n`);
    const req = await begun.promise;
    return {
      leave: async () => {
        socket.destroy();
        if (!req.res?.closed) await once(req.res as NonNullable<Request['res']>, 'close');
      },
      socket,
    };
  }

  it.each(Object.keys(WAYS))('before the answer has begun opens no %s', async (way) => {
    const { leave } = await begin(way);
    await leave();
    mayOpen.resolve();
    mayAnswer.resolve();
    await ended.promise;
    expect(await Promise.race([opened.promise, 'none'])).toBe('none');
  });

  it.each(Object.keys(WAYS))('while it is opened closes the %s', async (way) => {
    const { leave } = await begin(way);
    mayAnswer.resolve();
    await new Promise(setImmediate);
    await leave();
    mayOpen.resolve();
    await ended.promise;
    expect((await opened.promise).destroyed).toBe(true);
  });

  it.each(Object.keys(WAYS))('amid the answer closes the %s', async (way) => {
    const { leave, socket } = await begin(way);
    mayOpen.resolve();
    mayAnswer.resolve();
    await once(socket, 'data');
    await leave();
    await ended.promise;
    expect((await opened.promise).destroyed).toBe(true);
  });

  it('of a text is no failure', async () => {
    const { leave } = await begin('object');
    const req = await begun.promise;
    await leave();
    const batches = (async function* () {
      yield 'a';
    })();
    await sendText(req, { type: 'text/csv', filename: 'a.csv', head: '' }, batches, (text) => text);
    mayOpen.resolve();
    mayAnswer.resolve();
    await ended.promise;
  });
});
