import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const HISTORIES = 'tests/workflows/histories';
const MIGRATIONS = 'models/migrations';

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Folder of the histories of a version: `0.2.0` and `0.2.0-dev` have theirs in `v0.2`. */
export const historiesOf = (version) => `v${version.split('.').slice(0, 2).join('.')}`;

/** Paths of what a release must keep as it is: its folder of histories with all that is in it, and its migrations. */
export const releasedPaths = ({ histories, migrations }) => [
  `${HISTORIES}/${histories}`,
  ...migrations.map((name) => `${MIGRATIONS}/${name}.ts`),
];

/** The sha256 of each file of a release, by its path. */
export function fileHashes(root, release) {
  const [folder, ...files] = releasedPaths(release);
  const below = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'));
  return Object.fromEntries(
    [...below, ...files].sort().map((path) => [path, sha256(readFileSync(join(root, path)))]),
  );
}

/**
 * The SQL text that a migration runs. Its file is not all of it: policies and columns come from files that migrations share.
 * @param migration an entry of the list in models/migrations/list.ts
 */
export async function sqlOf(migration) {
  // Its driver is for migrations that read the database, which none does.
  const made = new migration.class();
  await made.up();
  return made.getQueries();
}

/** The sha256 of the SQL text of each migration of a release, by its name. */
export async function sqlHashes(list, release) {
  const chosen = list.filter(({ name }) => release.migrations.includes(name));
  const pairs = chosen.map(async (each) => [each.name, sha256(JSON.stringify(await sqlOf(each)))]);
  return Object.fromEntries(await Promise.all(pairs));
}

/** Names of the migrations that no release has yet. */
export function landedNames(list, releases) {
  const released = new Set(releases.flatMap(({ migrations }) => migrations));
  return list.map(({ name }) => name).filter((name) => !released.has(name));
}

/** What differs between what was recorded and what is there: one line for each path or name. */
export function differences(recorded, found) {
  const names = [...new Set([...Object.keys(recorded), ...Object.keys(found)])].sort();
  return names.flatMap((name) => {
    if (!(name in recorded)) return [`${name} was added`];
    if (!(name in found)) return [`${name} was removed`];
    return recorded[name] === found[name] ? [] : [`${name} was changed`];
  });
}
