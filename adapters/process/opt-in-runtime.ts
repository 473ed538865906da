import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { offReason } from '../../core/config/switched-off.js';

const OPT_IN = /^opt_in: true$/m;
const LICENSE = /^license: (.+)$/m;

/**
 * Why a runtime may not be used whose catalog.yaml says `opt_in`; null where it may.
 * @param switchedOn what the operator named
 */
export async function optInProblem(
  runtimesDir: string,
  runtime: string,
  switchedOn: readonly string[],
): Promise<string | null> {
  if (switchedOn.includes(runtime)) return null;
  const text = await readFile(join(runtimesDir, runtime, 'catalog.yaml'), 'utf8').catch(() => '');
  return OPT_IN.test(text) ? offReason(runtime, LICENSE.exec(text)?.[1] ?? 'a licence of its own') : null;
}
