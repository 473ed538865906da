import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** docker/runtimes of this installation, whether this file runs compiled or from its source. */
export function runtimesFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'docker/runtimes')) && folder !== dirname(folder)) folder = dirname(folder);
  return join(folder, 'docker/runtimes');
}
