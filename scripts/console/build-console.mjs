// Makes the web console: types from the API's description, the bundle by Vite, and each text file once more in Brotli and gzip,
// so that the API sends bytes as they lie. Nothing is done while the sources are those of the last build.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const WEB = join(ROOT, 'web');
const OUT = join(ROOT, 'dist/web');
const STAMP = join(OUT, '.build-stamp');
const DESCRIPTION = join(ROOT, 'api/generated/openapi.json');
const TYPES = join(WEB, 'src/api/generated/schema.d.ts');
const COMPRESSED = /\.(js|css|html|svg)$/;

const wanted = signature();
if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== wanted) {
  await generateTypes();
  if (!process.argv.includes('--types')) {
    rmSync(STAMP, { force: true });
    const { build } = await import('vite');
    await build({ configFile: join(WEB, 'vite.config.mjs'), logLevel: 'warn' });
    for (const file of filesBelow(OUT)) if (COMPRESSED.test(file)) compress(file);
    writeFileSync(STAMP, wanted);
  }
}

async function generateTypes() {
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  mkdirSync(join(TYPES, '..'), { recursive: true });
  writeFileSync(TYPES, astToString(await openapiTS(new URL(`file://${DESCRIPTION}`))));
}

function compress(file) {
  const bytes = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
}

function filesBelow(folder, found = []) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) filesBelow(path, found);
    else found.push(path);
  }
  return found;
}

/** The description counts by its bytes: it is written anew by each build of the API. */
function signature() {
  const hash = createHash('sha256').update(readFileSync(DESCRIPTION));
  const single = [join(ROOT, 'package-lock.json'), join(ROOT, 'models/access/permission.rules.ts')];
  const sources = filesBelow(WEB).filter((path) => path !== TYPES);
  for (const path of [...single, ...sources].sort()) {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${relative(ROOT, path)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}
