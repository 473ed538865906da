import { conflict } from '../../core/errors/app-error.js';
import type { Stage } from './model.types.js';

/** Who keeps a version from being deleted. */
export interface VersionUser {
  readonly version: number;
  readonly kind: 'stage' | 'serving_endpoint' | 'image' | 'promotion' | 'deployment' | 'device' | 'training';
  readonly name: string;
}

type Names<Key> = ReadonlyMap<Key, readonly string[]>;

/** Names of those who use versions, some by the id of the version, some by its number. */
export interface UsersOfVersions {
  readonly endpoints: Names<string>;
  /** Images that are being built. */
  readonly images: Names<string>;
  readonly trainings: Names<string>;
  /** Those that have it installed. */
  readonly devices: Names<string>;
  readonly promotions: Names<number>;
  readonly deployments: Names<number>;
}

export function usersOf(
  versions: ReadonlyArray<{ readonly id: string; readonly version: number; readonly stage: Stage }>,
  known: UsersOfVersions,
): VersionUser[] {
  return versions.flatMap(({ id, version, stage }) => {
    const users = (kind: VersionUser['kind'], names: readonly string[] = []) =>
      names.map((name) => ({ version, kind, name }));
    return [
      ...users('stage', stage === 'Production' ? [stage] : []),
      ...users('serving_endpoint', known.endpoints.get(id)),
      ...users('image', known.images.get(id)),
      ...users('promotion', known.promotions.get(version)),
      ...users('deployment', known.deployments.get(version)),
      ...users('device', known.devices.get(id)),
      ...users('training', known.trainings.get(id)),
    ];
  });
}

const USES: Readonly<Record<VersionUser['kind'], (name: string) => string>> = {
  stage: (name) => `is in ${name}`,
  serving_endpoint: (name) => `is served by endpoint ${name}`,
  image: (name) => `is being packed as image ${name}`,
  promotion: (name) => `is needed by promotion ${name}`,
  deployment: (name) => `is needed by deployment ${name}`,
  device: (name) => `is installed on device ${name}`,
  training: (name) => `is what training ${name} begins with`,
};

/**
 * @param unnamed how many more users there are
 * @throws AppError conflict with `detail.users` and `detail.users_total`
 */
export function assertUnused(users: readonly VersionUser[], unnamed = 0): void {
  if (users.length === 0) return;
  const named = users.slice(0, 5).map((user) => `version ${user.version} ${USES[user.kind](user.name)}`);
  throw conflict(
    `It is in use: ${named.join('; ')}${users.length > 5 ? '; and more' : ''}. End that first.`,
    { users, users_total: users.length + unnamed },
  );
}
