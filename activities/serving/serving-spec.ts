import { unprocessable } from '../../core/errors/app-error.js';
import type { TenantId } from '../../core/security/ids.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import { blobKey } from '../../models/images/image.types.js';
import { findImage, findModelLayer } from '../../models/images/image.queries.js';
import { LAYER_ENTRYPOINT, LAYER_MODEL_FOLDER } from '../../models/images/model-manifest.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { openEndpointCredential } from '../../models/serving/endpoint-credential.js';
import { originOfImage } from '../../models/serving/image-origin.rules.js';
import type { EndpointRow } from '../../models/serving/serving.types.js';
import { LOOK_SIGNAL, servingWorkflowId } from '../../models/serving/serving-work.types.js';
import type { WakeTarget } from '../../models/outbox/wake.types.js';
import type { NewWorkload } from '../../models/workloads/workload.types.js';

/** Where the image's layer is unpacked, below the workload's own directory. */
const APP = 'app';
const MEMORY_BYTES = 1024 ** 3;

interface SpecDeps {
  readonly database: Database;
  readonly keys: KeyRing;
}

/** The workflow that a host signals when an instance died, came back or moved. */
export const wakesOf = (tenantId: TenantId, { id, attempt }: EndpointRow): WakeTarget => ({
  workflowId: servingWorkflowId({ tenantId, endpointId: id, attempt }),
  signal: LOOK_SIGNAL,
});

/**
 * What a host is to run for an endpoint: the image's layer, unpacked, in the environment of its runtime variant.
 * @throws AppError unprocessable_entity when the image cannot be run
 */
export async function servingSpec(
  deps: SpecDeps,
  tenantId: TenantId,
  endpoint: EndpointRow,
): Promise<NewWorkload> {
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
    kind: 'serving',
    name: endpoint.workloadId,
    ownerId: endpoint.id,
    attempt: 1,
    spec: {
      kind: 'service',
      runtime: image.runtime,
      origin: originOfImage(image),
      entrypoint: `./${APP}/${LAYER_ENTRYPOINT}`,
      args: [`${APP}/${LAYER_MODEL_FOLDER}`],
      files: [],
      downloads: [
        {
          key: blobKey(layer.digest),
          path: APP,
          sha256: layer.digest.slice('sha256:'.length),
          unpack: true,
        },
      ],
      labels: {},
      limits: { memoryBytes: MEMORY_BYTES, timeoutS: null },
    },
    env: { ENDPOINT_TOKEN: openEndpointCredential(deps.keys, tenantId, endpoint) },
    replicas: endpoint.replicas,
    wake: wakesOf(tenantId, endpoint),
  };
}
