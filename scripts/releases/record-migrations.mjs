// Records the migrations that are new since the last release: `npm run build && node scripts/releases/record-migrations.mjs`. It
// adds those that are not recorded yet, and changes no other.
import { readFileSync, writeFileSync } from 'node:fs';
import { landedNames, sqlHashes } from './released-parts.mjs';

const file = new URL('../../tests/fixtures/released/landed.json', import.meta.url);
const releases = JSON.parse(readFileSync(new URL('../../releases.json', import.meta.url), 'utf8'));
const { MIGRATIONS } = await import(new URL('../../dist/models/migrations/list.js', import.meta.url).href);
const recorded = JSON.parse(readFileSync(file, 'utf8'));
const found = await sqlHashes(MIGRATIONS, { migrations: landedNames(MIGRATIONS, releases) });
const added = Object.keys(found).filter((name) => !Object.hasOwn(recorded, name));
writeFileSync(
  file,
  `${JSON.stringify({ ...found, ...recorded }, Object.keys({ ...recorded, ...found }).sort(), 2)}\n`,
);
console.log(added.length === 0 ? 'nothing is new' : `recorded ${added.join(', ')}`);
