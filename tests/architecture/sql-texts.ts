/** Statements of SQL in quotes. Engines, pools and the ORM's own room are not looked at. */
const STATEMENT =
  /[`'"]\s*(?:select|insert\s+into|update\s+\w+\s+set|delete\s+from|with\s+(?:recursive\s+)?\w+\s+as|merge\s+into)\b/gi;
/** One behind a parenthesis: `exists (select`, `coalesce((select`, `in (select`. */
const SUBSELECT = /\(\s*select\s/gi;
const OWN_ROOMS = /^(models\/orm\/|models\/migrations\/|adapters\/postgres\/|cli\/engines\/)/;
const WRITE = /insert\s+into|update\s+\w+\s+set|delete\s+from/gi;
const REASON = /--\s*(?:bulk|hot|set):[ \t]+\S/;
/** A reason stands close to its statement: in its text, or in the comment before it. */
const BEFORE = 600;
const AFTER = 200;

/** @returns what is wrong with the SQL of a file, a line each */
export function sqlProblems(path: string, text: string): string[] {
  if (!path.endsWith('.sql.ts')) {
    if (OWN_ROOMS.test(path)) return [];
    return [
      ...[...text.matchAll(STATEMENT)].map(() => `${path}: a statement of SQL outside of a .sql.ts`),
      ...[...text.matchAll(SUBSELECT)].map(() => `${path}: a subselect of SQL outside of a .sql.ts`),
    ];
  }
  return [...text.matchAll(WRITE)]
    .filter(({ index }) => !REASON.test(text.slice(Math.max(0, index - BEFORE), index + AFTER)))
    .map(({ 0: write }) => `${path}: "${write}" without -- bulk:, -- hot: or -- set: and its reason`);
}

const CHANGE = /\b(?:update\s+(\w+)(?:\s+(?!set\b)\w+)?\s+(?:--[^\n]*\s+)?set|delete\s+from\s+(\w+))\b/gi;
const UPSERT =
  /\binsert\s+into\s+(\w+)(?:(?!\binsert\s+into\b)[^`])*?\bvalues\s*\((?:(?!\binsert\s+into\b)[^`])*?\bon\s+conflict\s*\(([^)]*)\)/gi;

/**
 * Writes of one row, which an entity could do: every column of the primary key is given a parameter, or decides about a
 * conflict.
 * @param keys columns of the primary key, by table
 */
export function writesByKey(text: string, keys: ReadonlyMap<string, readonly string[]>): string[] {
  const isWhole = (table: string, isNamed: (column: string) => boolean) =>
    keys.get(table)?.every(isNamed) ?? false;
  const changes = [...text.matchAll(CHANGE)].flatMap(({ 0: write, 1: updated, 2: emptied, index }) => {
    const statement = untilItsEnd(text.slice(index));
    const [, ...conditions] = statement.split(/\bwhere\b/i);
    const isNamed = (column: string) => new RegExp(`\\b${column} = \\$`).test(conditions.join(' '));
    return isWhole(updated ?? emptied ?? '', isNamed) ? [write] : [];
  });
  const upserts = [...text.matchAll(UPSERT)].flatMap(([, table = '', conflict = '']) =>
    isWhole(table, (column) => conflict.split(/,\s*/).includes(column)) ? [`insert into ${table}`] : [],
  );
  return [...changes, ...upserts];
}

/** Up to the end of the text, or of the brackets that a part of a statement stands in. */
function untilItsEnd(text: string): string {
  let depth = 0;
  for (const [index, character] of [...text].entries()) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === '`' || depth < 0) return text.slice(0, index);
  }
  return text;
}
