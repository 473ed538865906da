import { AppError } from '../../../core/errors/app-error.js';
import { urlText } from './url-text.js';

/**
 * Finds the route of a request in time that depends on the path's depth, not on how many routes there are. Patterns
 * are Express's: `:name` is a parameter that fills the rest of its segment up to a literal suffix, `\:` a literal colon,
 * `*name` (last segment only) takes all that follows.
 */
export interface RouteMatch<T> {
  readonly value: T;
  readonly params: Readonly<Record<string, string>>;
}

interface DynamicChild<T> {
  readonly name: string;
  readonly suffix: string;
  readonly node: Node<T>;
}

interface Node<T> {
  readonly fixed: Map<string, Node<T>>;
  readonly dynamic: Array<DynamicChild<T>>;
  rest: { name: string; methods: Map<string, T> } | null;
  readonly methods: Map<string, T>;
  /** True for a word of the contract that is not served: nobody's id. */
  isReserved: boolean;
}

const newNode = <T>(): Node<T> => ({
  fixed: new Map(),
  dynamic: [],
  rest: null,
  methods: new Map(),
  isReserved: false,
});

export class RouteIndex<T> {
  private readonly root = newNode<T>();

  /** Keeps a path unknown whose fixed word would else be taken for a parameter. Once it is served, this changes nothing. */
  reserve(pattern: string): void {
    let node = this.root;
    for (const segment of pattern.split('/').slice(1)) node = child(node, segment);
    node.isReserved = true;
  }

  /** @throws Error when the same method and path shape is added twice, or a parameter has two names in one place */
  add(method: string, pattern: string, value: T): void {
    let node = this.root;
    for (const segment of pattern.split('/').slice(1)) {
      if (segment.startsWith('*')) {
        node.rest ??= { name: segment.slice(1), methods: new Map() };
        return put(node.rest.methods, method, pattern, value);
      }
      node = child(node, segment);
    }
    put(node.methods, method, pattern, value);
  }

  /**
   * @param path the request's path as sent, still percent-encoded
   * @throws AppError bad_request for a malformed escape, method_not_allowed (with Allow) for a known path
   * @returns null for an unknown path
   */
  find(method: string, path: string): RouteMatch<T> | null {
    const segments = path.split('/');
    for (let i = 1; i < segments.length; i += 1) {
      const segment = segments[i] as string;
      if (!PLAIN.test(segment)) segments[i] = decode(segment);
    }
    const params: Record<string, string> = {};
    const methods = descend(this.root, segments, 1, params);
    if (methods === null || methods.size === 0) return null;
    const value = methods.get(method) ?? (method === 'HEAD' ? methods.get('GET') : undefined);
    if (value === undefined) {
      const allowed = [
        ...methods.keys(),
        ...(methods.has('GET') && !methods.has('HEAD') ? ['HEAD'] : []),
      ].sort();
      const allow = allowed.join(', ');
      throw new AppError(
        'method_not_allowed',
        `Use ${allow} on this path.`,
        { allowed },
        { headers: { Allow: allow } },
      );
    }
    return { value, params };
  }
}

function put<T>(methods: Map<string, T>, method: string, pattern: string, value: T): void {
  if (methods.has(method)) throw new Error(`${method} ${pattern} is routed twice`);
  methods.set(method, value);
}

function child<T>(node: Node<T>, segment: string): Node<T> {
  const parameter = /^:(\w+)((?:\\:[\w-]+)?)$/.exec(segment);
  if (!parameter) {
    const word = segment.replaceAll('\\:', ':');
    let found = node.fixed.get(word);
    if (!found) {
      found = newNode<T>();
      node.fixed.set(word, found);
    }
    return found;
  }
  const [name, suffix] = [parameter[1] as string, (parameter[2] as string).replace('\\:', ':')];
  const known = node.dynamic.find((candidate) => candidate.suffix === suffix);
  // With two names in one place, each method would have to know which one it was described with.
  if (known && known.name !== name)
    throw new Error(`{${name}} stands where other routes say {${known.name}}: use one name`);
  if (known) return known.node;
  const added = { name, suffix, node: newNode<T>() };
  node.dynamic.push(added);
  node.dynamic.sort((a, b) => b.suffix.length - a.suffix.length);
  return added.node;
}

const PLAIN = /^[^%\u0080-\u00ff]*$/;

function decode(segment: string): string {
  if (/%(?![0-9a-f]{2})/i.test(segment))
    throw new AppError('bad_request', 'The path holds a malformed percent escape.');
  return urlText(segment);
}

/** Fixed words win over parameters, parameters with a literal suffix over bare ones; dead ends are left again. */
function descend<T>(
  node: Node<T>,
  segments: string[],
  at: number,
  params: Record<string, string>,
): Map<string, T> | null {
  if (at === segments.length) return node.methods.size > 0 || node.isReserved ? node.methods : null;
  const segment = segments[at] as string;
  const fixed = node.fixed.get(segment);
  if (fixed) {
    const found = descend(fixed, segments, at + 1, params);
    if (found) return found;
  }
  for (const { name, suffix, node: next } of node.dynamic) {
    if (segment.length <= suffix.length || !segment.endsWith(suffix)) continue;
    const found = descend(next, segments, at + 1, params);
    if (!found) continue;
    params[name] = suffix === '' ? segment : segment.slice(0, -suffix.length);
    return found;
  }
  if (node.rest) {
    params[node.rest.name] = segments.slice(at).join('/');
    return node.rest.methods;
  }
  return null;
}
