import { createRemoteSource } from '../../adapters/http/http-remote-source.js';
import { outboundAccess } from '../../adapters/http/outbound-access.js';
import type { DomainPart, ProcessResources } from '../process-resources.js';
import { DatasetSourceController } from './dataset-source.controller.js';
import { DatasetSourceService } from './dataset-source.service.js';
import { ExternalSourcesController } from './external-sources.controller.js';
import { ExternalSourcesService } from './external-sources.service.js';
import { RemoteManifestService } from './remote-manifest.service.js';

/** External sources and the links of datasets to them. */
export function wireExternalSources({ db, settings }: ProcessResources): DomainPart {
  const remote = createRemoteSource(outboundAccess(settings));
  const sources = new ExternalSourcesService(db, remote, settings.SERVICE_SECRET_KEYS);
  const manifests = new RemoteManifestService(db, remote, sources);
  const links = new DatasetSourceService(db, remote, settings.SERVICE_SECRET_KEYS);
  return {
    controllers: [
      [ExternalSourcesController, () => new ExternalSourcesController(sources, manifests)],
      [DatasetSourceController, () => new DatasetSourceController(links)],
    ],
    close: () => remote.close(),
  };
}
