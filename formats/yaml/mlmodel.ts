import { parseDocument, visit } from 'yaml';
import { exceededBy } from './yaml-depth.js';

const MAX_DEPTH = 20;
const MAX_TOKENS = 100_000;

/** What a model takes and gives, as its `MLmodel` has them; JSON texts are parsed. */
export interface ModelSignature {
  readonly inputs: unknown;
  readonly outputs: unknown;
}

/** Which network a model folder holds. */
export interface FolderNetwork {
  /** Model of the catalog. */
  readonly model: string;
  /** Path in the folder of the file with its weights. */
  readonly data: string;
}

/**
 * The signature in an `MLmodel` file (YAML, as MLflow's clients write it).
 * @returns null where it has none, or is no such file
 */
export function readSignature(text: string): ModelSignature | null {
  const signature = objectIn(readRoot(text), 'signature');
  return signature && { inputs: plain(signature.inputs), outputs: plain(signature.outputs) };
}

/** The network that the flavour of a runtime names. @returns null where no flavour names one with its file */
export function readNetwork(text: string): FolderNetwork | null {
  const flavours = objectIn(readRoot(text), 'flavors') ?? {};
  for (const name of Object.keys(flavours)) {
    const { model, data } = objectIn(flavours, name) ?? {};
    if (typeof model === 'string' && typeof data === 'string') return { model, data };
  }
  return null;
}

/** Null for a text that is no plain YAML. */
function readRoot(text: string): unknown {
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
  return isPlain ? document.toJS() : null;
}

function objectIn(holder: unknown, key: string): Readonly<Record<string, unknown>> | null {
  const found =
    typeof holder === 'object' && holder !== null ? (holder as Record<string, unknown>)[key] : null;
  return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : null;
}

function plain(part: unknown): unknown {
  if (typeof part !== 'string') return part ?? null;
  try {
    return JSON.parse(part) as unknown;
  } catch {
    return part;
  }
}
