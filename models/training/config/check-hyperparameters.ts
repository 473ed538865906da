import { type Document, isMap, isScalar, parseDocument, visit } from 'yaml';
import { MAX_FIELD_ERRORS } from '../../../core/errors/app-error.js';
import { exceededBy } from '../../../formats/yaml/yaml-depth.js';
import { unknownKey } from '../../../core/errors/unknown-keys.js';
import type { HyperparameterRule } from '../catalog/catalog.types.js';

const MAX_BYTES = 64 * 1024;
/** YAML limit: about seven tokens per value; parsing tens of thousands takes seconds. */
const MAX_TOKENS = 8000;
const TOO_LONG = 'holds more values than any model takes: at most about 1000';
const MAX_DEPTH = 5;
const TOO_DEEP = `must not be nested deeper than ${MAX_DEPTH} levels`;

/** One thing that is wrong with the text. */
export interface HyperparameterProblem {
  readonly msg: string;
  /** The key that is meant, or the line, counted from 1, of what is no YAML; null: the text as a whole. */
  readonly place: string | number | null;
}

export interface Hyperparameters {
  /** Empty when all is well. */
  readonly problems: readonly HyperparameterProblem[];
  readonly values: Readonly<Record<string, unknown>>;
}

const refused = (msg: string, line: number | null = null): Hyperparameters => ({
  problems: [{ msg, place: line }],
  values: {},
});

/**
 * Checks the YAML text of an experiment against the rules of its model. Aliases are refused, so that a short
 * text cannot stand for a huge value.
 * @param rules null when the model's parameters are not known here
 */
export function checkHyperparameters(
  text: string,
  rules: Readonly<Record<string, HyperparameterRule>> | null,
): Hyperparameters {
  if (Buffer.byteLength(text) > MAX_BYTES) return refused(`must have at most ${MAX_BYTES / 1024} KiB`);
  if (text.trim() === '') return { problems: [], values: {} };
  const exceeded = exceededBy(text, { tokens: MAX_TOKENS, depth: MAX_DEPTH });
  if (exceeded !== null) return refused(exceeded === 'depth' ? TOO_DEEP : TOO_LONG);
  // Pretty errors would draw a picture of the text for each of them.
  const options = { uniqueKeys: true, prettyErrors: false, schema: 'core', version: '1.2' } as const;
  return readMapping(text, parseDocument(text, { ...options, logLevel: 'error' }), rules);
}

function placeIn(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) as string).length + 1 };
}

function readMapping(
  text: string,
  document: Document.Parsed,
  rules: Readonly<Record<string, HyperparameterRule>> | null,
): Hyperparameters {
  const error = document.errors[0];
  if (error?.code === 'MULTIPLE_DOCS') return refused('must hold exactly one YAML document');
  if (error) {
    const { line, column } = placeIn(text, error.pos[0]);
    const said = error.message.split('\n')[0];
    return refused(`is not valid YAML: ${said} at line ${line}, column ${column}`, line);
  }
  if (document.contents === null) return { problems: [], values: {} };
  let hasAlias = false;
  visit(document, {
    Alias: () => {
      hasAlias = true;
      return visit.BREAK;
    },
  });
  if (hasAlias) return refused('must not use YAML aliases');
  if (!isMap(document.contents)) return refused('must be a mapping of names to values');
  if (document.contents.items.some((pair) => !isScalar(pair.key) || typeof pair.key.value !== 'string'))
    return refused('must use texts as names');
  const values = document.toJS({ maxAliasCount: 0 }) as Record<string, unknown>;
  if (depthOf(values) > MAX_DEPTH) return refused(TOO_DEEP);
  return { problems: rules === null ? [] : problemsOf(values, rules), values };
}

function depthOf(value: unknown): number {
  let [level, depth] = [[value], 0];
  for (; level.length > 0 && depth <= MAX_DEPTH + 1; depth += 1)
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  return depth - 1;
}

function problemsOf(
  values: Readonly<Record<string, unknown>>,
  rules: Readonly<Record<string, HyperparameterRule>>,
): HyperparameterProblem[] {
  const known = Object.keys(rules);
  const problems: HyperparameterProblem[] = [];
  for (const [name, value] of Object.entries(values)) {
    if (problems.length >= MAX_FIELD_ERRORS) break;
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    const problem = rule ? problemOf(value, rule) : unknownKey(name, known);
    if (problem !== null) problems.push({ msg: `${name} ${problem}`, place: name });
  }
  return problems;
}

function problemOf(value: unknown, rule: HyperparameterRule): string | null {
  if (rule.type === 'boolean') return typeof value === 'boolean' ? null : 'must be true or false';
  if (rule.type === 'text') {
    if (typeof value !== 'string') return 'must be a text';
    return rule.values === null || rule.values.includes(value)
      ? null
      : `must be one of ${rule.values.join(', ')}`;
  }
  if (typeof value !== 'number' || !Number.isFinite(value))
    return rule.type === 'integer' ? 'must be an integer' : 'must be a number';
  if (rule.type === 'integer' && !Number.isInteger(value)) return 'must be an integer';
  if (value < rule.least || value > rule.most) return `must be from ${rule.least} to ${rule.most}`;
  return rule.step !== undefined && value % rule.step !== 0 ? `must be a multiple of ${rule.step}` : null;
}
