import { createServer, type Server } from 'node:http';
import express, { type Express, type Router } from 'express';
import type { Multer } from 'multer';
import { internalUrl } from '../core/config/settings.js';
import type { Logger } from '../core/logging/logger.js';
import type { Container } from './container.js';
import { describedRoute, assertAllServed } from './http/described-routes.js';
import { accessLog } from './http/access-log.js';
import { boundValidation } from './http/bounded-validation.js';
import { installAnswerHeaders } from './http/answer-headers.js';
import { answerClientError } from './http/client-errors.js';
import { crossSiteGuard, hostGuard } from './http/browser-guard.js';
import { errorMiddleware } from './http/error-middleware.js';
import { assertRawRoutes } from './http/raw-routes.js';
import { requestContext } from './http/request-context.js';
import { inOrder, RouteTable, routeCollector } from './http/route-table.js';
import { registerDocs } from './docs/docs.router.js';
import { RegisterRoutes } from './generated/routes.js';

/** The Express application over one container. @throws Error when a route has no access decision, is unknown or is not served */
export function createApp(container: Container): { app: Express; routes: RouteTable } {
  boundValidation();
  const routes = new RouteTable();
  const register: (router: Router, options: { multer: Multer }) => void = RegisterRoutes;
  register(
    routeCollector((method, pattern, handlers) => routes.add(describedRoute(container.openapi, method, pattern, handlers))),
    { multer: container.multer },
  );
  const generated = routes.entries.length;
  registerDocs(routes, container.openapi);
  for (const addTo of container.rawRouters) addTo(routes);
  assertRawRoutes(container.openapi, routes.entries.slice(generated));
  assertAllServed(container.openapi, routes.entries);

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', container.settings.SERVICE_TRUST_PROXY);
  app.locals = Object.assign(app.locals, { authenticator: container.authenticator, controllers: container.controllers });
  installAnswerHeaders(app);
  const { SERVICE_BASE_URL: baseUrl } = container.settings;
  app.use(
    inOrder(
      requestContext,
      accessLog(container.logger, container.metrics.observe),
      hostGuard(baseUrl, internalUrl(container.settings)),
      crossSiteGuard(baseUrl),
      routes.middleware,
    ),
  );
  app.use(errorMiddleware({ logger: container.logger, onRefused: (req, errorId, outcome) => container.refused.record(req, errorId, outcome) }));
  return { app, routes };
}

/** Node's HTTP server with our limits: slow headers are cut early, uploads may take their time. */
export function createHttpServer(app: Express, logger: Logger): Server {
  const server = createServer({ headersTimeout: 20_000, requestTimeout: 15 * 60_000, keepAliveTimeout: 65_000, maxHeaderSize: 16_384, connectionsCheckingInterval: 5_000 }, app);
  server.maxRequestsPerSocket = 0;
  server.on('clientError', answerClientError(logger));
  return server;
}
