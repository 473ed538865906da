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
  /** serve.py and the modules beside it that it imports, directly or not. */
  readonly files: readonly RuntimeProgram[];
}

const ENTRYPOINT = 'serve.py';
const IMPORT = /^[ \t]*(?:from[ \t]+(\w+)[ \t]+import\b|import[ \t]+([\w \t,]+))/gm;

/**
 * What a model image takes from the runtime of its framework.
 * @param runtimesDir docker/runtimes
 * @throws AppError unprocessable_entity when no runtime of this name can serve
 */
export async function readServingPrograms(runtimesDir: string, runtime: string): Promise<ServingPrograms> {
  const names = /^[a-z0-9][a-z0-9-]*$/.test(runtime) ? await filesOf(join(runtimesDir, runtime)) : [];
  if (!names.includes(ENTRYPOINT))
    throw unprocessable(
      [],
      `No runtime of this installation serves the framework ${JSON.stringify(runtime)}.`,
    );
  const contents = new Map(
    await Promise.all(
      names.map(async (name) => [name, await readFile(join(runtimesDir, runtime, name))] as const),
    ),
  );
  const digest = createHash('sha256');
  for (const [name, content] of contents) digest.update(`${name}\0${content.length}\0`).update(content);
  return {
    digest: `sha256:${digest.digest('hex')}`,
    files: [...importedFrom(ENTRYPOINT, contents)].map((path) => ({
      path,
      content: contents.get(path) as Buffer,
    })),
  };
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && (entry.name.endsWith('.py') || entry.name === 'requirements.txt'))
    .map((entry) => entry.name)
    .sort();
}

/** The program and all modules of the folder that it reaches by import statements. */
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
