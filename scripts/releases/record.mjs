// Records a release: `npm run build && node scripts/releases/record.mjs 0.2.0`, on the commit that is released and with a clean
// work tree. Adds it to releases.json and writes the hashes of what must not change from then on.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileHashes, historiesOf, landedNames, sqlHashes } from './released-parts.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [version, commit = 'HEAD'] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version ?? '')) {
  console.error('name the version, such as 0.2.0');
  process.exit(2);
}
const { MIGRATIONS } = await import(new URL('../../dist/models/migrations/list.js', import.meta.url).href);
const file = join(root, 'releases.json');
const earlier = JSON.parse(readFileSync(file, 'utf8')).filter((release) => release.version !== version);
const release = {
  version,
  commit: execFileSync('git', ['rev-parse', commit], { cwd: root, encoding: 'utf8' }).trim(),
  histories: historiesOf(version),
  migrations: landedNames(MIGRATIONS, earlier),
};
const write = (path, value) => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
const folder = join(root, 'tests/fixtures/released');
mkdirSync(folder, { recursive: true });
write(join(folder, `${version}.json`), {
  files: fileHashes(root, release),
  sql: await sqlHashes(MIGRATIONS, release),
});
write(file, [...earlier, release]);
console.log(`recorded ${version} at ${release.commit}`);
