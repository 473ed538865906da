import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unprocessable } from '../../core/errors/app-error.js';

export interface RuntimeProgram {
  readonly path: string;
  readonly content: Buffer;
}

export interface ServingPrograms {
  /** Names programs and requirements of the runtime: images made with another digest may behave otherwise. */
  readonly digest: string;
  /** serve.py, the modules of the runtime and of docker/contract that it imports, directly or not, and its licence. */
  readonly files: readonly RuntimeProgram[];
}

const ENTRYPOINT = 'serve.py';
/** Go wherever the programs of a runtime go that has a licence of its own. */
const TERMS = ['LICENSE', 'NOTICE'];
const IMPORT = /^[ \t]*(?:from[ \t]+(\w+)[ \t]+import\b|import[ \t]+([\w \t,]+))/gm;

/**
 * What a model image takes from the runtime of its framework.
 * @param runtimesDir docker/runtimes; docker/contract lies beside it
 * @throws AppError unprocessable_entity when no runtime of this name can serve
 */
export async function readServingPrograms(runtimesDir: string, runtime: string): Promise<ServingPrograms> {
  const own = /^[a-z0-9][a-z0-9-]*$/.test(runtime) ? await filesOf(join(runtimesDir, runtime)) : [];
  if (!own.some(([name]) => name === ENTRYPOINT))
    throw unprocessable(
      [],
      `No runtime of this installation serves the framework ${JSON.stringify(runtime)}.`,
    );
  // The runtime's own file counts where two have one name.
  const found = new Map([...(await filesOf(join(runtimesDir, '../contract'))), ...own]);
  const contents = new Map(
    await Promise.all(
      [...found]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(async ([name, path]) => [name, await readFile(path)] as const),
    ),
  );
  const digest = createHash('sha256');
  for (const [name, content] of contents) digest.update(`${name}\0${content.length}\0`).update(content);
  return {
    digest: `sha256:${digest.digest('hex')}`,
    files: [...importedFrom(ENTRYPOINT, contents), ...TERMS.filter((name) => contents.has(name))].map(
      (path) => ({
        path,
        content: contents.get(path) as Buffer,
      }),
    ),
  };
}

/** Names and paths. */
async function filesOf(folder: string): Promise<Array<readonly [name: string, path: string]>> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter(
      (entry) =>
        entry.isFile() && (entry.name.endsWith('.py') || ['requirements.txt', ...TERMS].includes(entry.name)),
    )
    .map(({ name }) => [name, join(folder, name)] as const);
}

/** The program and all modules that it reaches by import statements. */
function importedFrom(start: string, contents: ReadonlyMap<string, Buffer>): Set<string> {
  const found = new Set([start]);
  for (const path of found) {
    for (const [, from, list] of (contents.get(path) as Buffer).toString('utf8').matchAll(IMPORT)) {
      const modules =
        from === undefined ? (list ?? '').split(',').map((part) => part.trim().split(/\s/)[0] ?? '') : [from];
      for (const name of modules.map((module) => `${module}.py`)) if (contents.has(name)) found.add(name);
    }
  }
  return found;
}
