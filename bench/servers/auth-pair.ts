import type { AddressInfo } from 'node:net';
import express, { type Request, type RequestHandler } from 'express';
import { createContainer } from '../../api/container.js';
import { accessLog } from '../../api/http/routing/access-log.js';
import { installAnswerHeaders } from '../../api/http/library-patches/answer-headers.js';
import { crossSiteGuard, hostGuard } from '../../api/http/guards/browser-guard.js';
import { errorMiddleware } from '../../api/http/answers/error-middleware.js';
import { requestContext } from '../../api/http/routing/request-context.js';
import { inOrder, RouteTable } from '../../api/http/routing/route-table.js';
import { createHttpServer } from '../../api/server.js';
import { parseSettings } from '../../core/config/settings.js';
import { createLogger } from '../../core/logging/logger.js';
import { toListQuery } from '../../core/paging/page.js';
import { asTenantId } from '../../core/security/ids.js';
import { DATASET_SORT_KEYS, listDatasets } from '../../models/datasets/catalog/dataset-list.queries.js';

/**
 * The API's own middleware around two routes, each open and behind authentication, tenant and permission: a page of
 * datasets, and a fixed text. `/statements` says how many transactions the process has opened. Argument: the tenant's id.
 */
const tenantId = asTenantId(String(process.argv[2]));
const settings = parseSettings(process.env);
const { logger } = createLogger({
  name: 'bench',
  level: settings.SERVICE_LOG_LEVEL,
  file: settings.SERVICE_LOG_FILE ?? null,
});
const container = await createContainer(settings, logger);
const { db } = container;
let transactions = 0;
const [inTenant, inPlatform] = [db.inTenant.bind(db), db.inPlatform.bind(db)];
db.inTenant = (id, work) => {
  transactions += 1;
  return inTenant(id, work);
};
db.inPlatform = (work) => {
  transactions += 1;
  return inPlatform(work);
};

const authenticated: RequestHandler = async (req, _res, next) => {
  await container.authenticator.authenticate(req, 'user', ['VIEW']);
  next();
};
const page: RequestHandler = async (req: Request, res) => {
  const query = toListQuery({ page_size: 20 }, DATASET_SORT_KEYS);
  res.json(await db.inTenant(req.context.access?.tenantId ?? tenantId, (tx) => listDatasets(tx, {}, query)));
};
const fixed: RequestHandler = (_req, res) => void res.json({ status: 'ok' });

const routes = new RouteTable();
const add = (pattern: string, handlers: RequestHandler[]) =>
  routes.add({ method: 'GET', pattern, access: { kind: 'public' }, operationId: null, handlers });
add('/open/page', [page]);
add('/closed/page', [authenticated, page]);
add('/open/fixed', [fixed]);
add('/closed/fixed', [authenticated, fixed]);
add('/statements', [(_req, res) => void res.json({ transactions })]);

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.set('query parser', 'simple');
installAnswerHeaders(app);
app.use(
  inOrder(
    requestContext,
    accessLog(logger, container.metrics.observe),
    hostGuard(settings.SERVICE_BASE_URL),
    crossSiteGuard(settings.SERVICE_BASE_URL),
    routes.middleware,
  ),
);
app.use(errorMiddleware({ logger, onRefused: () => Promise.resolve() }));
const server = createHttpServer(app, logger);
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
