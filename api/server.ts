import { bodyDeadline } from './http/bodies/body-deadline.js';
import { createServer, type Server } from 'node:http';
import querystring from 'node:querystring';
import express, { type Express, type Router } from 'express';
import type { Multer } from 'multer';
import { trustedProxies } from '../core/config/trusted-proxies.js';
import { internalUrl } from '../core/config/settings.js';
import type { Logger } from '../core/logging/logger.js';
import type { Container } from './container.js';
import { describedRoute, assertAllServed } from './http/routing/described-routes.js';
import { accessLog } from './http/routing/access-log.js';
import { boundValidation } from './http/library-patches/bounded-validation.js';
import { installAnswerHeaders } from './http/library-patches/answer-headers.js';
import { answerClientError, answerExpectation } from './http/answers/client-errors.js';
import { continueOnceRead } from './http/library-patches/continue-once-read.js';
import { crossSiteGuard, hostGuard } from './http/guards/browser-guard.js';
import { errorMiddleware } from './http/answers/error-middleware.js';
import { assertRawRoutes } from './http/routing/raw-routes.js';
import { requestContext } from './http/routing/request-context.js';
import { urlText } from './http/routing/url-text.js';
import { inOrder, RouteTable, routeCollector } from './http/routing/route-table.js';
import { TRACKER } from './http/routing/mlflow-routes.js';
import { trackerErrors } from './mlflow/protocol/tracker-errors.js';
import { registerDocs } from './docs/docs.router.js';
import { schemaGuard } from './http/guards/schema-guard.js';
import { exceptProbes } from './probes/probes.router.js';
import { RegisterRoutes } from './generated/routes.js';

/** The Express application over one container. @throws Error when a route has no access decision, is unknown or is not served */
export function createApp(container: Container): { app: Express; routes: RouteTable } {
  boundValidation();
  const routes = new RouteTable();
  const register: (router: Router, options: { multer: Multer }) => void = RegisterRoutes;
  register(
    routeCollector((method, pattern, handlers) =>
      routes.add(describedRoute(container.openapi, method, pattern, handlers, container.backlogGuard)),
    ),
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
  app.set('query parser', (text: string) =>
    querystring.parse(text, '&', '=', { decodeURIComponent: urlText }),
  );
  app.set('trust proxy', trustedProxies(container.settings.SERVICE_TRUST_PROXY));
  app.locals = Object.assign(app.locals, {
    authenticator: container.authenticator,
    controllers: container.controllers,
  });
  installAnswerHeaders(app);
  const { SERVICE_BASE_URL: baseUrl } = container.settings;
  const errors = errorMiddleware({
    logger: container.logger,
    onRefused: (req, errorId, outcome) => container.refused.record(req, errorId, outcome),
  });
  app.use(
    inOrder(
      requestContext,
      container.forwarded.watch,
      accessLog(container.logger, container.metrics.observe),
      exceptProbes(hostGuard(baseUrl, internalUrl(container.settings))),
      exceptProbes(schemaGuard(container.schema)),
      crossSiteGuard(baseUrl),
      bodyDeadline(errors),
      routes.middleware,
    ),
  );
  app.use(TRACKER, trackerErrors(container.logger));
  app.use(errors);
  return { app, routes };
}

/** Node's HTTP server with our limits: slow headers are cut early, uploads may take their time. */
export function createHttpServer(app: Express, logger: Logger): Server {
  const limits = {
    headersTimeout: 20_000,
    // `bodyDeadline` limits bodies.
    requestTimeout: 0,
    keepAliveTimeout: 65_000,
    maxHeaderSize: 16_384,
    connectionsCheckingInterval: 5_000,
  };
  // A request without Host is refused by the guard, in the shape of every refusal.
  const server = createServer({ ...limits, requireHostHeader: false }, app);
  server.maxRequestsPerSocket = 0;
  server.on('clientError', answerClientError(logger));
  server.on('checkContinue', (req, res) => {
    continueOnceRead(req, res);
    app(req, res);
  });
  server.on('checkExpectation', answerExpectation(logger));
  return server;
}
