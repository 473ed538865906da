import { conflict } from '../../core/errors/app-error.js';
import type { Stage } from './model.types.js';

/** Who keeps a version from being deleted. */
export interface VersionUser {
  readonly version: number;
  readonly kind: 'stage' | 'serving_endpoint' | 'image' | 'promotion' | 'deployment' | 'device';
  readonly name: string;
}

export interface UsersOfVersions {
  /** Names by the id of the version. */
  readonly endpoints: ReadonlyMap<string, readonly string[]>;
  /** Images that are being packed, by the id of the version. */
  readonly building: ReadonlyMap<string, string>;
  /** Ids by the number of the version. */
  readonly promotions: ReadonlyMap<number, readonly string[]>;
  readonly deployments: ReadonlyMap<number, readonly string[]>;
  /** Keys of those that have it installed, by the id of the version. */
  readonly devices: ReadonlyMap<string, readonly string[]>;
}

export function usersOf(
  versions: ReadonlyArray<{ readonly id: string; readonly version: number; readonly stage: Stage }>,
  { endpoints, building, promotions, deployments, devices }: UsersOfVersions,
): VersionUser[] {
  return versions.flatMap(({ id, version, stage }) => [
    ...(stage === 'Production' ? [{ version, kind: 'stage' as const, name: stage }] : []),
    ...(endpoints.get(id) ?? []).map((name) => ({ version, kind: 'serving_endpoint' as const, name })),
    ...(building.has(id) ? [{ version, kind: 'image' as const, name: building.get(id) as string }] : []),
    ...(promotions.get(version) ?? []).map((name) => ({ version, kind: 'promotion' as const, name })),
    ...(deployments.get(version) ?? []).map((name) => ({ version, kind: 'deployment' as const, name })),
    ...(devices.get(id) ?? []).map((name) => ({ version, kind: 'device' as const, name })),
  ]);
}

const USES: Readonly<Record<VersionUser['kind'], (name: string) => string>> = {
  stage: (name) => `is in ${name}`,
  serving_endpoint: (name) => `is served by endpoint ${name}`,
  image: (name) => `is being packed as image ${name}`,
  promotion: (name) => `is needed by promotion ${name}`,
  deployment: (name) => `is needed by deployment ${name}`,
  device: (name) => `is installed on device ${name}`,
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
