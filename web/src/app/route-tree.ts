import { adminRoutes } from '../admin/routes';
import { datasetRoutes } from '../datasets/routes';
import { edgeRoutes } from '../edge/routes';
import { homeRoutes, startRoute } from '../home/routes';
import { modelRoutes } from '../models/routes';
import { accountRoutes, publicRoutes } from '../people/routes';
import { servingRoutes } from '../serving/routes';
import { trainingRoutes } from '../training/routes';
import { rootRoute, signedInRoute, tenantRoute } from './root-route';

/** Every page of the console. Each area has its own list. */
export const routeTree = rootRoute.addChildren([
  ...publicRoutes,
  signedInRoute.addChildren([
    startRoute,
    ...accountRoutes,
    tenantRoute.addChildren([
      ...homeRoutes,
      ...datasetRoutes,
      ...trainingRoutes,
      ...modelRoutes,
      ...servingRoutes,
      ...edgeRoutes,
      ...adminRoutes,
    ]),
  ]),
]);
