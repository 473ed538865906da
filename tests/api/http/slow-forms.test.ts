import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express, { type NextFunction, type Request, type Response } from 'express';
import multer from 'multer';
import type { ManagedObjectStore } from '../../../adapters/minio/minio-object-store.js';
import { bodyDeadline } from '../../../api/http/bodies/body-deadline.js';
import { contentLength, detachedBody } from '../../../api/http/bodies/chunk-body.js';
import { errorMiddleware, toAppError } from '../../../api/http/answers/error-middleware.js';
import { FormMemory } from '../../../api/http/bodies/form-memory.js';
import { ObjectStorageEngine, requireStoredFile } from '../../../api/http/bodies/multipart-storage.js';
import { requestContext } from '../../../api/http/routing/request-context.js';
import { forbidden } from '../../../core/errors/app-error.js';
import { createLogger } from '../../../core/logging/logger.js';
import type { TenantAccess } from '../../../models/accounts/principal.types.js';
import { testObjectStore } from '../../setup/engines.js';

const MIB = 2 ** 20;
const PACE = { baseMs: 1500, bytesPerS: 64 * 1024, idleMs: 600 };
const { logger } = createLogger({ level: 'fatal', name: 'test', file: null });
const HEAD = Buffer.from(
  '--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: application/octet-stream\r\n\r\n',
);
const END = Buffer.from('\r\n--b--\r\n');

describe('forms that trickle', () => {
  let store: ManagedObjectStore;
  let server: Server;
  const refusals: string[] = [];
  beforeAll(async () => {
    store = await testObjectStore();
    await store.ensureBucket();
    const intake = {
      begin: async (req: Request) => {
        if (req.headers['x-tenant'] === 'refused') throw forbidden('Not here.');
        return { key: `t/forms/${randomUUID()}`, maxBytes: 100 * MIB, tooLarge: 'too large' };
      },
      discard: (_req: unknown, key: string) => store.remove([key]),
    };
    const memory = new FormMemory({ small: 2 * MIB, large: 64 * MIB }, 30_000);
    const storage = new ObjectStorageEngine(store, intake, memory);
    const errors = errorMiddleware({ logger, onRefused: async () => undefined });
    const app = express().use(requestContext, bodyDeadline(errors, PACE));
    app.use((req, _res, next) => {
      req.context.access = { tenantId: String(req.headers['x-tenant']) } as TenantAccess;
      next();
    });
    app.post(
      '/',
      multer({ storage }).single('file'),
      (req, res) => void res.status(201).json({ size: requireStoredFile(req.file).sizeBytes }),
    );
    app.post('/json', express.json(), (req, res) => void res.json(req.body));
    app.put('/', async (req, res) => {
      await sleep(300);
      const key = `t/forms/${randomUUID()}`;
      await store.put(key, detachedBody(req), contentLength(req) as number);
      await store.remove([key]);
      res.json({});
    });
    app.use((thrown: unknown, req: Request, _res: Response, next: NextFunction) => {
      refusals.push(toAppError(thrown, req).code);
      next(thrown);
    });
    app.use(errors);
    server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await store.close();
  });

  /** @param pauseMs between the pieces */
  const send = (tenant: string, pieces: readonly Buffer[], pauseMs: number): Promise<number> =>
    new Promise((resolve) => {
      const headers = { 'content-type': 'multipart/form-data; boundary=b', 'x-tenant': tenant };
      let isOver = false;
      const req = request(
        { port: (server.address() as AddressInfo).port, method: 'POST', headers },
        (answer) => {
          isOver = true;
          resolve(answer.resume().statusCode ?? 0);
        },
      );
      req.on('error', () => undefined);
      void (async () => {
        for (const piece of [HEAD, ...pieces, END]) {
          if (isOver) return;
          req.write(piece);
          await sleep(pauseMs);
        }
        req.end();
      })();
    });

  it('are given up, and leave room for the forms of other tenants meanwhile', async () => {
    const trickle = Array<Buffer>(400).fill(Buffer.alloc(100));
    const slow = Array.from({ length: 12 }, () => send('a', trickle, 50));
    await sleep(300);
    const began = Date.now();
    const whole = [randomBytes(10 * MIB)];
    expect(await Promise.all([send('b', whole, 0), send('b', whole, 0)])).toEqual([201, 201]);
    // Before any of the slow ones was given up.
    if (Date.now() - began < PACE.baseMs - 400)
      expect(await Promise.race([...slow, sleep(0)])).toBeUndefined();
    expect(await Promise.all(slow)).toEqual(Array(12).fill(408));
    expect(await send('a', whole, 0)).toBe(201);
  });

  it('are taken where they come steadily, however long', async () => {
    const steady = Array<Buffer>(50).fill(Buffer.alloc(16_384));
    expect(await send('c', steady, 80)).toBe(201);
  });

  /** Writes the start of a request. @param leaveMs null to wait for the end of the connection @returns what was answered */
  const beginOf = (start: Buffer[], leaveMs: number | null): Promise<string> =>
    new Promise((resolve) => {
      const pieces: Buffer[] = [];
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => {
        socket.write(Buffer.concat(start));
        if (leaveMs !== null) setTimeout(() => socket.destroy(), leaveMs);
      });
      socket.on('data', (piece: Buffer) => pieces.push(piece));
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(Buffer.concat(pieces).toString()));
    });
  const head = (lines: readonly string[]) => Buffer.from([...lines, 'Host: a', '', ''].join('\r\n'));
  const refusal = async () => {
    for (let left = 100; left > 0 && refusals.length === 0; left -= 1) await sleep(50);
    return refusals.splice(0);
  };

  it('and end half-way are a bad request, no failure of the platform', async () => {
    refusals.length = 0;
    const start = [
      head([
        'POST / HTTP/1.1',
        'X-Tenant: d',
        'Content-Type: multipart/form-data; boundary=b',
        `Content-Length: ${MIB}`,
      ]),
      HEAD,
    ];
    await beginOf([...start, Buffer.alloc(MIB / 2)], 200);
    expect(await refusal()).toEqual(['bad_request']);
    // Before the form had its first file.
    await beginOf(start.slice(0, 1), 100);
    expect(await refusal()).toEqual(['bad_request']);
  });

  it('and never end are answered all the same, and lose their connection', async () => {
    const start = (tenant: string) =>
      head([
        'POST / HTTP/1.1',
        `X-Tenant: ${tenant}`,
        'Content-Type: multipart/form-data; boundary=b',
        'Content-Length: 400000',
      ]);
    const early = await beginOf([start('e'), HEAD.subarray(0, 20)], null);
    expect(early).toMatch(/^HTTP\/1\.1 408 [\s\S]*Connection: close[\s\S]*came too slowly/);
    const answer = await beginOf([start('e'), HEAD, Buffer.alloc(100)], null);
    expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*Connection: close[\s\S]*came too slowly/);
    // One that is refused for another reason, which its sender hears after its last byte.
    expect(await beginOf([start('refused'), HEAD, Buffer.alloc(100)], null)).toMatch(
      /^HTTP\/1\.1 408 [\s\S]*Connection: close/,
    );
  });

  it('as JSON get 408 and lose their connection, and are taken where they come in time', async () => {
    const start = (length: number) =>
      head([
        'POST /json HTTP/1.1',
        'Content-Type: application/json',
        'Connection: close',
        `Content-Length: ${length}`,
      ]);
    expect(await beginOf([start(100), Buffer.from('{"a":')], null)).toMatch(
      /^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/,
    );
    expect(await beginOf([start(7), Buffer.from('{"a":1}')], null)).toMatch(
      /^HTTP\/1\.1 200 [\s\S]*\{"a":1\}/,
    );
  });

  it('as chunks whose sender leaves during the look-up, or with all bytes unread, are given up at once', async () => {
    refusals.length = 0;
    await beginOf([head(['PUT / HTTP/1.1', 'Expect: 100-continue', 'Content-Length: 65536'])], 100);
    expect(await refusal()).toEqual(['bad_request']);
    await beginOf([head(['PUT / HTTP/1.1', 'Content-Length: 1000']), Buffer.alloc(1000)], 100);
    expect(await refusal()).toEqual(['bad_request']);
  });

  it('leave the connection to the next request where they were answered unread', async () => {
    const unread = [
      head(['POST /nowhere HTTP/1.1', 'Content-Type: text/plain', 'Content-Length: 10']),
      Buffer.alloc(10),
    ];
    const pieces: Buffer[] = [];
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('data', (piece: Buffer) => pieces.push(piece));
    let isClosed = false;
    socket.on('close', () => {
      isClosed = true;
    });
    socket.write(Buffer.concat(unread));
    await sleep(PACE.baseMs + 500);
    socket.write(Buffer.concat(unread));
    await sleep(500);
    expect([
      isClosed,
      Buffer.concat(pieces)
        .toString()
        .match(/HTTP\/1\.1 404/g)?.length,
    ]).toEqual([false, 2]);
    socket.destroy();
  });

  it('as chunks that stall get 408 and lose their connection', async () => {
    refusals.length = 0;
    const answer = await beginOf(
      [head(['PUT / HTTP/1.1', 'Content-Length: 65536']), Buffer.alloc(100)],
      null,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/);
    // Whoever reads the body hears of the end of its connection.
    expect(await refusal()).toEqual(['bad_request']);
  });
});
