import { createHash } from 'node:crypto';

/** One path component of a repository name in the OCI distribution specification. */
const COMPONENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const MAX_COMPONENT = 100;

/**
 * The repository of a model's images: its own name where that is a valid repository name, otherwise the
 * nearest valid one with ten hex digits of the name's hash, so that two models never share a repository.
 */
export function ociRepositoryName(tenantCode: string, modelName: string): string {
  if (COMPONENT.test(modelName) && modelName.length <= MAX_COMPONENT) return `${tenantCode}/${modelName}`;
  const words = modelName
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
    .replace(/-+$/, '');
  const hash = createHash('sha256').update(modelName).digest('hex').slice(0, 10);
  return `${tenantCode}/${words === '' ? 'model' : words}-x${hash}`;
}
