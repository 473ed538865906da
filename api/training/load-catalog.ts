import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Catalog } from '../../models/training/catalog/catalog.js';
import { parseRuntimeCatalog } from '../../models/training/catalog/runtime-catalog.js';

/** The catalog of this installation: what its runtimes bring. Read once at start. */
export function loadCatalog(runtimesFolder: string): Catalog {
  const files = readdirSync(runtimesFolder)
    .sort()
    .map((name) => join(runtimesFolder, name, 'catalog.yaml'))
    .filter((file) => existsSync(file));
  return new Catalog(files.map((file) => parseRuntimeCatalog(readFileSync(file, 'utf8'))));
}
