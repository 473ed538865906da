import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileVariable } from '../../core/config/secret-files.js';
import { secretNames } from '../../core/config/settings.js';

/**
 * Takes the secrets out of an environment and names files that hold them instead. What a process was started with stays
 * in `/proc/<pid>/environ` for as long as it runs, where every program of the same user can read it.
 * @param folder made anew, for the owner alone; `forgetHandover` removes it once the process has read its settings
 */
export function handOverSecrets(
  env: Readonly<Record<string, string>>,
  folder: string,
): Record<string, string> {
  forgetHandover(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const rest = { ...env };
  for (const name of secretNames()) {
    const value = env[name];
    if (!value) continue;
    const file = join(folder, name);
    writeFileSync(file, `${value}\n`, { mode: 0o600 });
    delete rest[name];
    rest[fileVariable(name)] = file;
  }
  return rest;
}

export const forgetHandover = (folder: string): void => rmSync(folder, { recursive: true, force: true });
