import type { AddressInfo } from 'node:net';
import express from 'express';
import { installAnswerHeaders } from '../../api/http/library-patches/answer-headers.js';
import { hostGuard } from '../../api/http/guards/browser-guard.js';
import { requestContext } from '../../api/http/routing/request-context.js';
import { inOrder, RouteTable } from '../../api/http/routing/route-table.js';
import { createLogger } from '../../core/logging/logger.js';
import { createHttpServer } from '../../api/server.js';

/** The API's own route table and middleware around routes of its usual shape, as many as the argument says. */
const count = Number(process.argv[2]);
const routes = new RouteTable();
for (let index = 0; index < count; index += 1) {
  routes.add({
    method: 'GET',
    pattern: `/api/v1/area-${index}/:item_id/parts`,
    access: { kind: 'public' },
    operationId: null,
    handlers: [(req, res) => void res.json({ route: index, item: req.params.item_id })],
  });
}
const app = express();
app.disable('x-powered-by');
app.disable('etag');
installAnswerHeaders(app);
app.use(inOrder(requestContext, hostGuard('http://127.0.0.1'), routes.middleware));
const server = createHttpServer(app, createLogger({ name: 'bench', level: 'fatal', file: null }).logger);
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
