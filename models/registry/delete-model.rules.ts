import { conflict } from '../../core/errors/app-error.js';
import type { Stage } from './model.types.js';

/** Who keeps a version from being deleted. */
export interface VersionUser {
  readonly version: number;
  readonly kind: 'stage' | 'serving_endpoint';
  readonly name: string;
}

export function usersOf(
  versions: ReadonlyArray<{ readonly id: string; readonly version: number; readonly stage: Stage }>,
  endpoints: ReadonlyMap<string, readonly string[]>,
): VersionUser[] {
  return versions.flatMap(({ id, version, stage }) => [
    ...(stage === 'Production' ? [{ version, kind: 'stage' as const, name: stage }] : []),
    ...(endpoints.get(id) ?? []).map((name) => ({ version, kind: 'serving_endpoint' as const, name })),
  ]);
}

/** @throws AppError conflict with `detail.users` */
export function assertUnused(users: readonly VersionUser[]): void {
  if (users.length === 0) return;
  const named = users
    .slice(0, 5)
    .map((user) =>
      user.kind === 'stage'
        ? `version ${user.version} is in ${user.name}`
        : `version ${user.version} is served by endpoint ${user.name}`,
    );
  throw conflict(
    `It is in use: ${named.join('; ')}${users.length > 5 ? '; and more' : ''}. End that first.`,
    { users },
  );
}
