import path from 'node:path';
import { writeLayer } from '../../adapters/oci/layer-archive.js';
import { runtimesFolder } from '../../adapters/process/runtimes-folder.js';
import type { Settings } from '../../core/config/settings.js';
import { modelImageWorkflowId } from '../../models/images/image-work.types.js';
import type { DomainWork, WorkerDeps } from '../support/domain-work.js';
import { createImageSweep } from './image-sweep.platform.js';
import { createModelImageActivities } from './model-image.activities.js';

export function wireImages(deps: WorkerDeps): DomainWork {
  const images = createModelImageActivities({
    ...deps,
    runtimesDir: runtimesFolder(),
    tempDir: layerFolder(deps.settings),
    writeLayer,
  });
  return {
    activities: images,
    stalled: [
      {
        kind: 'model-image',
        workflowId: ({ tenantId, id, attempt }) => modelImageWorkflowId({ tenantId, imageId: id, attempt }),
        fail: ({ tenantId, id, attempt }, reason) =>
          images.failModelImage({ tenantId, imageId: id, attempt }, reason),
      },
    ],
    maintenance: [createImageSweep(deps.database, deps.objects)],
  };
}

/** Where layers are packed; what a worker that died left there is swept at the start. */
export const layerFolder = (settings: Settings): string => path.resolve(settings.SERVICE_DATA_DIR, 'tmp');
