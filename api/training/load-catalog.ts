import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Catalog } from '../../models/training/catalog/catalog.js';
import { parseRuntimeCatalog } from '../../models/training/catalog/runtime-catalog.js';

/** The catalog of this installation: what its runtimes bring. Read once at start. */
export function loadCatalog(runtimesFolder: string): Catalog {
  const fileOf = (name: string) => join(runtimesFolder, name, 'catalog.yaml');
  const names = readdirSync(runtimesFolder)
    .sort()
    .filter((name) => existsSync(fileOf(name)));
  return new Catalog(names.map((name) => parseRuntimeCatalog(name, readFileSync(fileOf(name), 'utf8'))));
}
