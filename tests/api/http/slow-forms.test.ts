import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import multer from 'multer';
import { createObjectStore, type ManagedObjectStore } from '../../../activities/adapters/minio/minio-object-store.js';
import { errorMiddleware } from '../../../api/http/error-middleware.js';
import { FormMemory } from '../../../api/http/form-memory.js';
import { ObjectStorageEngine, requireStoredFile } from '../../../api/http/multipart-storage.js';
import { requestContext } from '../../../api/http/request-context.js';
import { createLogger } from '../../../core/logging/logger.js';
import type { TenantAccess } from '../../../models/accounts/principal.types.js';
import { testStore } from '../../setup/engines.js';

const MIB = 2 ** 20;
const PACE_MS = 1500;
const { logger } = createLogger({ level: 'fatal', name: 'test', file: null });
const HEAD = Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: application/octet-stream\r\n\r\n');
const END = Buffer.from('\r\n--b--\r\n');

describe('forms that trickle', () => {
  let store: ManagedObjectStore;
  let server: Server;
  beforeAll(async () => {
    store = createObjectStore(await testStore());
    await store.ensureBucket();
    const intake = {
      begin: async () => ({ key: `t/forms/${randomUUID()}`, maxBytes: 100 * MIB, tooLarge: 'too large' }),
      discard: (_req: unknown, key: string) => store.remove([key]),
    };
    const storage = new ObjectStorageEngine(store, intake, new FormMemory({ small: 2 * MIB, large: 64 * MIB }, 5000), PACE_MS);
    const app = express().use(requestContext);
    app.use((req, _res, next) => {
      req.context.access = { tenantId: String(req.headers['x-tenant']) } as TenantAccess;
      next();
    });
    app.post('/', multer({ storage }).single('file'), (req, res) => void res.status(201).json({ size: requireStoredFile(req.file).sizeBytes }));
    app.use(errorMiddleware({ logger, onRefused: async () => undefined }));
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
      const req = request({ port: (server.address() as AddressInfo).port, method: 'POST', headers }, (answer) => {
        isOver = true;
        resolve(answer.resume().statusCode ?? 0);
      });
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
    if (Date.now() - began < PACE_MS - 400) expect(await Promise.race([...slow, sleep(0)])).toBeUndefined();
    expect(await Promise.all(slow)).toEqual(Array(12).fill(400));
    expect(await send('a', whole, 0)).toBe(201);
  });

  it('are taken where they come steadily, however long', async () => {
    const steady = Array<Buffer>(50).fill(Buffer.alloc(4096));
    expect(await send('c', steady, 80)).toBe(201);
  });
});
