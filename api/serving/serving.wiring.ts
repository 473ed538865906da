import { baseUrl } from '../../core/config/settings.js';
import type { DomainPart, ProcessResources } from '../process-resources.js';
import { EndpointLogService } from './endpoint-log.service.js';
import { ServingController } from './serving.controller.js';
import { ServingProxy } from './serving-proxy.js';
import { ServingProxyController } from './serving-proxy.controller.js';
import { ServingService } from './serving.service.js';

/** Serving endpoints and the way to their servers. */
export function wireServing({ db, objects, states, hosts, settings }: ProcessResources): DomainPart {
  const places = {
    baseUrl: baseUrl(settings),
    registryHost: new URL(settings.SERVICE_BASE_URL).host,
  };
  const serving = new ServingService(db, states, settings.SERVICE_SECRET_KEYS, hosts, places);
  const logs = new EndpointLogService(db, objects);
  const proxy = new ServingProxy();
  return {
    controllers: [
      [ServingController, () => new ServingController(serving, logs)],
      [ServingProxyController, () => new ServingProxyController(serving, proxy)],
    ],
    close: () => proxy.close(),
  };
}
