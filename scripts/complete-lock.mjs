// Adds to package-lock.json the packages of other platforms that the registry in use did not offer. Without them
// `npm ci` calls the lock out of step. Run it after every change of the lock: `npm run lock`.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('../package-lock.json', import.meta.url));
const SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const PROCESSORS = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'ppc64le',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
];

const lock = JSON.parse(readFileSync(FILE, 'utf8'));
const before = Object.keys(lock.packages).length;
for (const [place, entry] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isFound(place, name)) continue;
    // Entries made here have no hash: npm writes it when a registry offers the package.
    lock.packages[`node_modules/${name}`] = {
      version: exactVersion(range, entry),
      optional: true,
      ...(entry.dev ? { dev: true } : {}),
      ...platformOf(name),
    };
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
console.log(
  `${Object.keys(lock.packages).length - before} entries added, ${Object.keys(lock.packages).length} in all`,
);

/** As Node looks packages up: beside the parent, then in every folder above it. */
function isFound(place, name) {
  for (let folder = place; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (lock.packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`]) return true;
    if (folder === '' || !folder.includes('/node_modules/'))
      return Boolean(lock.packages[`node_modules/${name}`]);
  }
}

function exactVersion(range, parent) {
  return /^\d+\.\d+\.\d+/.test(range) ? range : (range.match(/\d+\.\d+\.\d+[^\s|]*/)?.[0] ?? parent.version);
}

function platformOf(name) {
  const words = name.split(/[/-]/);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter(
    (processor) => words.includes(processor) || words.some((word) => word.startsWith(`${processor}v`)),
  );
  return { ...(os.length > 0 ? { os } : {}), ...(cpu.length > 0 ? { cpu } : {}) };
}
