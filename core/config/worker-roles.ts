/** What a worker may do; each installation needs every one of them somewhere. */
export const WORKER_ROLES = ['workflows', 'control', 'data', 'sync', 'host'] as const;
export type WorkerRole = (typeof WORKER_ROLES)[number];

/** @throws Error for an unknown name, or none at all */
export function parseWorkerRoles(text: string): ReadonlySet<WorkerRole> {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unknown = names.filter((name) => !WORKER_ROLES.includes(name as WorkerRole));
  if (unknown.length > 0 || names.length === 0)
    throw new Error(`must be one or more of ${WORKER_ROLES.join(', ')}, parted by commas`);
  return new Set(names as WorkerRole[]);
}
