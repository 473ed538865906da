import { imageRef } from '../../models/images/image.types.js';
import type { EndpointRow } from '../../models/serving/serving.types.js';
import type { EndpointOut } from './serving.schemas.js';

/** @param places address people use, and the host part of image references */
export const toEndpointOut = (
  endpoint: EndpointRow,
  places: { readonly baseUrl: string; readonly registryHost: string },
): EndpointOut => ({
  name: endpoint.name,
  image_id: endpoint.imageId,
  image_ref: imageRef(places.registryHost, endpoint),
  licence: endpoint.licence,
  model_name: endpoint.modelName,
  model_version: endpoint.modelVersion,
  replicas: endpoint.replicas,
  ready_replicas: endpoint.readyReplicas,
  gpu: endpoint.gpu,
  status: endpoint.status,
  status_message: endpoint.statusMessage,
  url: `${places.baseUrl}/api/v1/serving/endpoints/${endpoint.name}/proxy`,
  validation_dataset_id: endpoint.validationDatasetId,
  validation: endpoint.validation,
  last_heartbeat_at: endpoint.lastHeartbeatAt?.toISOString() ?? null,
  created_at: endpoint.createdAt.toISOString(),
  updated_at: endpoint.updatedAt.toISOString(),
  created_by: endpoint.createdBy,
});
