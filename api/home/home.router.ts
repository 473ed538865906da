import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { RequestHandler } from 'express';
import { notFound } from '../../core/errors/app-error.js';
import type { RouteTable } from '../http/routing/route-table.js';
import { homePage, type SampleResult } from './home-page.js';

export interface HomeOptions {
  readonly dataDir: string;
  readonly version: string;
  /** Address of Temporal's own pages; null where it is not known. */
  readonly temporalUi: string | null;
}

const PICTURE = /^[\w-]+\.svg$/;

/** The start page, and the picture that the sample journey leaves in the data directory. Public: neither shows tenants' data. */
export function registerHome(routes: RouteTable, options: HomeOptions): void {
  const folder = path.join(options.dataDir, 'sample');
  const get = (pattern: string, handler: RequestHandler) =>
    routes.add({
      method: 'GET',
      pattern,
      access: { kind: 'public' },
      operationId: null,
      handlers: [handler],
    });
  get('/', async (_req, res) => {
    const sample = await readSample(folder);
    res
      .type('html')
      .set('Cache-Control', 'no-cache')
      .send(homePage({ ...options, sample }));
  });
  get('/sample/confusion.svg', async (_req, res) => {
    const sample = await readSample(folder);
    const picture = sample && (await readFile(path.join(folder, sample.picture)).catch(() => null));
    if (!picture) throw notFound('Picture');
    res.type('image/svg+xml').set('Cache-Control', 'no-cache').send(picture);
  });
}

const deviceOf = (device: Partial<NonNullable<SampleResult['device']>> | null | undefined) =>
  typeof device?.id === 'string' && typeof device.images === 'number' && typeof device.accuracy === 'number'
    ? device
    : null;

/** What the sample wrote last, once it has ended well; null before. */
async function readSample(folder: string): Promise<SampleResult | null> {
  try {
    const result = JSON.parse(
      await readFile(path.join(folder, 'result.json'), 'utf8'),
    ) as Partial<SampleResult>;
    const isWhole =
      typeof result.accuracy === 'number' &&
      typeof result.images === 'number' &&
      typeof result.picture === 'string' &&
      PICTURE.test(result.picture);
    return isWhole ? ({ ...result, device: deviceOf(result.device) } as SampleResult) : null;
  } catch {
    return null;
  }
}
