import { unprocessable } from '../../core/errors/app-error.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import type { WorkloadSpec } from '../../core/ports/workload-runner.js';
import type { TenantId } from '../../core/security/ids.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import { blobKey } from '../../models/images/image.types.js';
import { findImage, findModelLayer } from '../../models/images/image.queries.js';
import { LAYER_ENTRYPOINT, LAYER_MODEL_FOLDER } from '../../models/images/model-manifest.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { openEndpointCredential } from '../../models/serving/endpoint-credential.js';
import type { EndpointRow } from '../../models/serving/serving.types.js';

/** Where the image's layer is unpacked, below the workload's own directory. */
const APP = 'app';
const MEMORY_BYTES = 1024 ** 3;
/** The layer is fetched once, when the first instance starts; a runtime may have to be prepared before. */
const LAYER_URL_S = 24 * 3600;

/** Label by which the serving workloads of an orchestrator are found. */
export const SERVING_LABELS = { component: 'serving' } as const;

interface SpecDeps {
  readonly database: Database;
  readonly objects: ObjectStore;
  readonly keys: KeyRing;
}

/**
 * What the orchestrator is to run for an endpoint: the image's layer, unpacked, in the environment of its runtime variant.
 * @throws AppError unprocessable_entity when the image cannot be run
 */
export async function servingSpec(
  deps: SpecDeps,
  tenantId: TenantId,
  endpoint: EndpointRow,
): Promise<WorkloadSpec> {
  const { image, layer } = await deps.database.inTenant(tenantId, async (tx) => {
    const image = await findImage(tx, endpoint.imageId);
    return { image, layer: image ? await findModelLayer(tx, image) : null };
  });
  if (!image?.runtime || !layer)
    throw unprocessable(
      [],
      'The image holds no model layer that a runtime of this installation could serve.',
    );
  return {
    id: endpoint.workloadId,
    tenantId,
    kind: 'service',
    runtime: image.runtime,
    entrypoint: `./${APP}/${LAYER_ENTRYPOINT}`,
    args: [`${APP}/${LAYER_MODEL_FOLDER}`],
    env: { ENDPOINT_TOKEN: openEndpointCredential(deps.keys, tenantId, endpoint) },
    files: [],
    downloads: [
      {
        url: await deps.objects.presign('GET', blobKey(layer.digest), LAYER_URL_S),
        path: APP,
        sha256: layer.digest.slice('sha256:'.length),
        unpack: true,
      },
    ],
    labels: { ...SERVING_LABELS, tenant: tenantId, endpoint: endpoint.id },
    limits: { memoryBytes: MEMORY_BYTES, timeoutS: null },
    replicas: endpoint.replicas,
  };
}
