import type { FetchableVersion } from '../../models/edge/edge-models.queries.js';
import { imageRef } from '../../models/images/image.types.js';
import type { ModelRow } from '../../models/registry/model.types.js';
import type { EdgeModelOut, EdgeModelVersionOut } from './edge-models.schemas.js';

export const toEdgeModelOut = (row: ModelRow): EdgeModelOut => ({
  name: row.name,
  version_count: row.versionCount,
  latest_version: row.latestVersion,
  production_version: row.stages.Production[0] ?? null,
});

export const toEdgeVersionOut = (
  { version, image, files }: FetchableVersion,
  registryHost: string,
): EdgeModelVersionOut => ({
  name: version.name,
  version: version.version,
  stage: version.stage,
  task: version.task,
  framework: version.framework,
  licence: version.licence,
  metrics: { ...version.metrics },
  size_bytes: version.sizeBytes,
  image_ref: image ? imageRef(registryHost, image) : null,
  files: files.map(({ path, sizeBytes, sha256 }) => ({ path, size_bytes: sizeBytes, sha256 })),
  created_at: version.createdAt.toISOString(),
});

/** By RFC 9530, so that a device can check what it got. */
export const toDigestHeader = (sha256: string): string =>
  `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`;
