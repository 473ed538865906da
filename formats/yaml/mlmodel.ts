import { parseDocument, visit } from 'yaml';
import { exceededBy } from './yaml-depth.js';

const MAX_DEPTH = 20;
const MAX_TOKENS = 100_000;

/** What a model takes and gives, as its `MLmodel` has them; JSON texts are parsed. */
export interface ModelSignature {
  readonly inputs: unknown;
  readonly outputs: unknown;
}

/**
 * The signature in an `MLmodel` file (YAML, as MLflow's clients write it).
 * @returns null where it has none, or is no such file
 */
export function readSignature(text: string): ModelSignature | null {
  if (exceededBy(text, { depth: MAX_DEPTH, tokens: MAX_TOKENS }) !== null) return null;
  const document = parseDocument(text, { schema: 'core', logLevel: 'silent', prettyErrors: false });
  if (document.errors.length > 0) return null;
  let isPlain = true;
  visit(document, {
    Alias: () => {
      isPlain = false;
      return visit.BREAK;
    },
  });
  const root: unknown = isPlain ? document.toJS() : null;
  const { signature } = (typeof root === 'object' && root !== null ? root : {}) as { signature?: unknown };
  if (typeof signature !== 'object' || signature === null) return null;
  const { inputs, outputs } = signature as { inputs?: unknown; outputs?: unknown };
  return { inputs: plain(inputs), outputs: plain(outputs) };
}

function plain(part: unknown): unknown {
  if (typeof part !== 'string') return part ?? null;
  try {
    return JSON.parse(part) as unknown;
  } catch {
    return part;
  }
}
