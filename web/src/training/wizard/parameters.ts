const PAIR = /^([A-Za-z_][\w.-]*):[ \t]*(.*)$/;

/**
 * Puts values into the commented text of the catalog, so that their meaning stays beside them. Keys that the catalog does not
 * have come at the end; a text that is more than pairs is left as it is.
 */
export function mergeParameters(catalog: string, given: string): string {
  const values = new Map<string, string>();
  for (const line of given.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const pair = PAIR.exec(line);
    if (!pair) return given;
    values.set(pair[1] ?? '', pair[2] ?? '');
  }
  const lines = catalog.split('\n').map((line) => {
    const key = PAIR.exec(line)?.[1] ?? '';
    const value = values.get(key);
    if (value === undefined) return line;
    values.delete(key);
    return `${key}: ${value}`;
  });
  const rest = [...values].map(([key, value]) => `${key}: ${value}`);
  return rest.length === 0 ? lines.join('\n') : `${lines.join('\n').trimEnd()}\n${rest.join('\n')}\n`;
}

/**
 * The line, counted from 1, that a finding about the parameters means; null when it means none.
 * @param loc ends with a key, or with the line of what is no YAML
 */
export function lineOf(yaml: string, loc: ReadonlyArray<string | number>): number | null {
  const place = loc[2];
  if (typeof place !== 'string') return place ?? null;
  const at = yaml.split('\n').findIndex((line) => PAIR.exec(line)?.[1] === place);
  return at === -1 ? null : at + 1;
}
