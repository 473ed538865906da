import { Lexer, Parser } from 'yaml';

const COLLECTIONS: ReadonlySet<string> = new Set(['block-map', 'block-seq', 'flow-collection']);

export interface YamlLimits {
  /** Some seven for each value; as many as there are where it is left out. */
  readonly tokens?: number;
  /** Depth of collections inside collections. */
  readonly depth: number;
}

/**
 * Asked of the tokens alone, before the text is parsed: what makes values of them calls itself for each level, until the
 * stack is full.
 * @returns the limit that the text exceeds, or null
 */
export function exceededBy(text: string, limits: YamlLimits): keyof YamlLimits | null {
  const parser = new Parser();
  let tokens = 0;
  for (const lexeme of new Lexer().lex(text)) {
    tokens += 1;
    if (limits.tokens !== undefined && tokens > limits.tokens) return 'tokens';
    for (const _ended of parser.next(lexeme));
    if (parser.stack.length > limits.depth && openCollections(parser) > limits.depth) return 'depth';
  }
  return null;
}

const openCollections = ({ stack }: Parser): number =>
  stack.filter(({ type }) => COLLECTIONS.has(type)).length;
