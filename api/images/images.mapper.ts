import { imageRef, type ImageRow } from '../../models/images/image.types.js';
import type { ImageOut } from './images.schemas.js';

export const toImageOut = (image: ImageRow, registryHost: string): ImageOut => ({
  id: image.id,
  kind: image.kind,
  status: image.status,
  status_message: image.statusMessage,
  model_name: image.modelName,
  model_version: image.modelVersion,
  repository: image.repository,
  tag: image.tag,
  image_ref: imageRef(registryHost, image),
  runtime: image.runtime,
  runtime_digest: image.runtimeDigest,
  size_bytes: image.sizeBytes,
  created_at: image.createdAt.toISOString(),
  updated_at: image.updatedAt.toISOString(),
  created_by: image.createdBy,
});
