import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Request, Response } from 'express';
import { notFound } from '../../core/errors/app-error.js';
import type { RouteTable } from '../http/routing/route-table.js';

/** Scripts, fonts, workers and calls from here alone; pictures also from memory, where a page draws or reads one. */
const POLICY = [
  "default-src 'none'",
  "base-uri 'none'",
  "connect-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "img-src 'self' blob: data:",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "worker-src 'self'",
].join('; ');

/** Compressed forms that the build leaves beside a file, the smallest first. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

/** Names of assets hold a hash of their bytes. */
const A_YEAR = 'public, max-age=31536000, immutable';

/**
 * The web console under /console/: every address that names no file is the one page, whose own router reads the rest.
 * @param folder what scripts/console/build-console.mjs made
 * @param workflows Temporal's own pages of the platform's namespace, which the console leads those to who operate it
 */
export function registerConsole(routes: RouteTable, folder: string, workflows: string | null): void {
  let files = filesIn(folder);
  const get = (pattern: string, answer: (req: Request, res: Response) => void) =>
    routes.add({
      method: 'GET',
      pattern,
      access: { kind: 'public' },
      operationId: null,
      handlers: [answer],
    });
  const page = (req: Request, res: Response) => {
    // The console may have been built anew beside a process that runs.
    files = filesIn(folder);
    if (!files.has('index.html')) throw notFound('Console');
    res.set({ 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-cache' });
    send(req, res, 'index.html');
  };
  const send = (req: Request, res: Response, file: string) => {
    const encoding = ENCODINGS.find(
      ({ name, suffix }) => files.has(file + suffix) && req.acceptsEncodings(name) === name,
    );
    res.type(path.extname(file)).vary('Accept-Encoding');
    if (encoding) res.set('Content-Encoding', encoding.name);
    res.sendFile(file + (encoding?.suffix ?? ''), { root: folder, cacheControl: false });
  };
  get('/console', (_req, res) => res.redirect(308, '/console/'));
  get('/console/', page);
  get('/console/installation.json', (_req, res) => res.set('Cache-Control', 'no-cache').json({ workflows }));
  get('/console/*path', (req, res) => {
    const file = req.path.slice('/console/'.length);
    if (!files.has(file)) {
      if (file.startsWith('assets/')) throw notFound('File');
      return page(req, res);
    }
    if (file.startsWith('assets/')) res.set('Cache-Control', A_YEAR);
    send(req, res, file);
  });
}

/** Only what the build wrote is ever opened. */
function filesIn(folder: string): ReadonlySet<string> {
  if (!existsSync(folder)) return new Set();
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Set(
    entries
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name))),
  );
}
