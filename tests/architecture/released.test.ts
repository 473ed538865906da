import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Migration } from '@mikro-orm/migrations';
import { MIGRATIONS } from '../../models/migrations/list.js';
import { onlyWhere } from '../setup/only-where.js';

interface Release {
  readonly version: string;
  readonly commit: string;
  readonly histories: string;
  readonly migrations: readonly string[];
}
type Hashes = Readonly<Record<string, string>>;
interface Parts {
  releasedPaths(release: Release): string[];
  fileHashes(root: string, release: Release): Hashes;
  sqlHashes(list: typeof MIGRATIONS, release: Release): Promise<Hashes>;
  differences(recorded: Hashes, found: Hashes): string[];
  historiesOf(version: string): string;
  landedNames(list: typeof MIGRATIONS, releases: readonly Release[]): string[];
}

const json = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;
const parts = (await import(
  pathToFileURL(join(process.cwd(), 'scripts/releases/released-parts.mjs')).href
)) as Parts;
const releases = json<Release[]>('releases.json');
const recorded = ({ version }: Release) =>
  json<{ files: Hashes; sql: Hashes }>(`tests/fixtures/released/${version}.json`);

it('migrations since the last release run the SQL that they landed with: databases have it already', async () => {
  // A new one is recorded by scripts/releases/record-migrations.mjs.
  const names = parts.landedNames(MIGRATIONS, releases);
  const landed = { ...(releases[0] as Release), migrations: names };
  const found = await parts.sqlHashes(MIGRATIONS, landed);
  expect(parts.differences(json<Hashes>('tests/fixtures/released/landed.json'), found)).toEqual([]);
});

describe.each(releases.map((release) => [release.version, release] as const))('release %s', (_, release) => {
  const fileChanges = (root: string) =>
    parts.differences(recorded(release).files, parts.fileHashes(root, release));
  const sqlChanges = async (list = MIGRATIONS) =>
    parts.differences(recorded(release).sql, await parts.sqlHashes(list, release));
  const isHere = spawnSync('git', ['cat-file', '-e', `${release.commit}^{commit}`]).status === 0;

  it('has its histories and migrations as they were released', async () => {
    expect(fileChanges('.')).toEqual([]);
    expect(await sqlChanges()).toEqual([]);
  });

  onlyWhere(isHere ? null : `a shallow clone without commit ${release.commit}`)(
    'has them as its commit has them',
    async () => {
      const paths = parts.releasedPaths(release);
      const changed = execFileSync('git', ['diff', '--name-status', release.commit, '--', ...paths], {
        encoding: 'utf8',
      });
      expect(changed).toBe('');
      const inCommit = execFileSync('git', ['ls-tree', '-r', '--name-only', release.commit, '--', ...paths], {
        encoding: 'utf8',
      });
      expect(Object.keys(recorded(release).files).sort()).toEqual(inCommit.trim().split('\n').sort());
    },
  );

  it('comes before the version that is being made, whose histories go elsewhere', () => {
    const { version } = json<{ version: string }>('package.json');
    expect(version.localeCompare(release.version, 'en', { numeric: true })).toBe(1);
    expect(parts.historiesOf(version)).not.toBe(release.histories);
  });

  it('has its migrations before those that came later', () => {
    const released = new Set(releases.flatMap(({ migrations }) => migrations));
    const places = MIGRATIONS.map(({ name }, place) => (released.has(name) ? place : -1));
    const last = Math.max(...places);
    expect(
      MIGRATIONS.slice(0, last)
        .map(({ name }) => name)
        .filter((name) => !released.has(name)),
    ).toEqual([]);
  });

  describe('in a copy', () => {
    let copy: string;
    const [history, other] = Object.keys(recorded(release).files).filter((path) =>
      path.endsWith('.json'),
    ) as [string, string];
    const migration = `models/migrations/${release.migrations[0]}.ts`;
    beforeEach(() => {
      copy = mkdtempSync(join(tmpdir(), 'visionops-released-'));
      for (const path of parts.releasedPaths(release)) cpSync(path, join(copy, path), { recursive: true });
    });
    afterEach(() => rmSync(copy, { recursive: true, force: true }));

    it('says what was changed, removed or added', () => {
      const added = join(dirname(history), 'planted.json');
      appendFileSync(join(copy, history), '\n');
      rmSync(join(copy, other));
      writeFileSync(join(copy, added), '{}');
      appendFileSync(join(copy, migration), '// planted\n');
      expect(fileChanges(copy).sort()).toEqual(
        [
          `${history} was changed`,
          `${other} was removed`,
          `${added} was added`,
          `${migration} was changed`,
        ].sort(),
      );
    });

    it('says that a migration runs other SQL, also where its own file is the same', async () => {
      class Planted extends Migration {
        override up(): void {
          this.addSql('select 1');
        }
      }
      const [first, ...rest] = MIGRATIONS;
      const name = first?.name as string;
      expect(await sqlChanges([{ name, class: Planted }, ...rest])).toEqual([`${name} was changed`]);
    });
  });
});
