import { conflict } from '../../core/errors/app-error.js';
import type { Stage } from './model.types.js';

/** Who keeps a version from being deleted. */
export interface VersionUser {
  readonly version: number;
  readonly kind: 'stage' | 'serving_endpoint' | 'image' | 'promotion' | 'deployment';
  readonly name: string;
}

export function usersOf(
  versions: ReadonlyArray<{ readonly id: string; readonly version: number; readonly stage: Stage }>,
  endpoints: ReadonlyMap<string, readonly string[]>,
  building: ReadonlyMap<string, string>,
  promotions: ReadonlyMap<number, readonly string[]>,
  deployments: ReadonlyMap<number, readonly string[]>,
): VersionUser[] {
  return versions.flatMap(({ id, version, stage }) => [
    ...(stage === 'Production' ? [{ version, kind: 'stage' as const, name: stage }] : []),
    ...(endpoints.get(id) ?? []).map((name) => ({ version, kind: 'serving_endpoint' as const, name })),
    ...(building.has(id) ? [{ version, kind: 'image' as const, name: building.get(id) as string }] : []),
    ...(promotions.get(version) ?? []).map((name) => ({ version, kind: 'promotion' as const, name })),
    ...(deployments.get(version) ?? []).map((name) => ({ version, kind: 'deployment' as const, name })),
  ]);
}

const USES: Readonly<Record<VersionUser['kind'], (name: string) => string>> = {
  stage: (name) => `is in ${name}`,
  serving_endpoint: (name) => `is served by endpoint ${name}`,
  image: (name) => `is being packed as image ${name}`,
  promotion: (name) => `is needed by promotion ${name}`,
  deployment: (name) => `is needed by deployment ${name}`,
};

/** @throws AppError conflict with `detail.users` */
export function assertUnused(users: readonly VersionUser[]): void {
  if (users.length === 0) return;
  const named = users.slice(0, 5).map((user) => `version ${user.version} ${USES[user.kind](user.name)}`);
  throw conflict(
    `It is in use: ${named.join('; ')}${users.length > 5 ? '; and more' : ''}. End that first.`,
    { users },
  );
}
