import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { conflict } from '../../core/errors/app-error.js';
import type { OperatorWeights, StatedWeights } from '../../core/ports/operator-weights.js';

/** What programs can read (docker/contract/weights.py), the first that is there. */
const ENDINGS = ['safetensors', 'pth', 'pt'] as const;
/** Names of the catalog; nobody reaches another folder by them. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
/** As `sha256sum` writes it: the digest, then perhaps a name. */
const STATED = /^([0-9a-fA-F]{64})(?:\s|$)/;

/**
 * The setting SERVICE_WEIGHTS_DIR: `<framework>/<model>.safetensors` (or .pth, .pt), and beside each file its sha256 as
 * `<file>.sha256`. A file is seen as soon as it is there. @param folder undefined: there are no weights
 */
export function openWeightsFolder(folder: string | undefined): OperatorWeights {
  return {
    async find(framework, model) {
      if (folder === undefined || !NAME.test(framework) || !NAME.test(model)) return null;
      for (const ending of ENDINGS) {
        const found = await statedAt(join(folder, framework, `${model}.${ending}`));
        if (found !== null) return found;
      }
      return null;
    },
    async open({ path }): Promise<Readable> {
      try {
        return (await open(path)).createReadStream();
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
        throw conflict(`The weights of the operator's folder cannot be read here (${code}).`);
      }
    },
  };
}

async function statedAt(path: string): Promise<StatedWeights | null> {
  const text = await readFile(`${path}.sha256`, 'utf8').catch(() => '');
  const sha256 = STATED.exec(text)?.[1]?.toLowerCase();
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  return sha256 !== undefined && isFile ? { path, sha256 } : null;
}
