import { createRequire } from 'node:module';
import path from 'node:path';
import { type RequestHandler, static as serveStatic } from 'express';
import { notFound } from '../../core/errors/app-error.js';
import type { OpenApiDocument } from '../http/routing/described-routes.js';
import type { RouteTable } from '../http/routing/route-table.js';

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>VisionOps API</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="/docs/assets/swagger-ui.css"></head>
<body><div id="swagger-ui"></div><script src="/docs/assets/swagger-ui-bundle.js"></script><script src="/docs/assets/init.js"></script></body></html>`;
/** The tenant that was entered last goes with every call for a tenant that names none. */
const INIT = `let tenant = null;
function requestInterceptor(request) {
  const url = new URL(request.url, location.href);
  tenant = request.headers['X-Tenant'] || tenant;
  if (tenant && url.pathname.startsWith('/api/v1/') && !url.searchParams.has('tenant')) request.headers['X-Tenant'] = tenant;
  return request;
}
window.ui = SwaggerUIBundle({
  url: '/openapi.json', dom_id: '#swagger-ui', deepLinking: true, withCredentials: true, validatorUrl: null,
  filter: true, docExpansion: 'none', defaultModelsExpandDepth: 0, requestInterceptor,
});`;

/** The machine-readable description and its interactive page, served from our own files (works offline). */
export function registerDocs(routes: RouteTable, openapi: OpenApiDocument): void {
  const body = Buffer.from(JSON.stringify(openapi));
  const get = (pattern: string, handler: RequestHandler) =>
    routes.add({
      method: 'GET',
      pattern,
      access: { kind: 'public' },
      operationId: null,
      handlers: [handler],
    });
  get('/openapi.json', (_req, res) => void res.type('json').send(body));
  get('/docs', (_req, res) => void res.type('html').send(PAGE));
  get('/docs/assets/init.js', (_req, res) => void res.type('js').send(INIT));
  const assets = serveStatic(
    path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')),
    { index: false, maxAge: '1h' },
  );
  get('/docs/assets/:file', (req, res, next) => {
    const file = req.params.file ?? '';
    if (!/^swagger-ui(-bundle)?\.(js|css)$/.test(String(file))) return next(notFound('File'));
    req.url = `/${String(file)}`;
    return assets(req, res, next);
  });
}
