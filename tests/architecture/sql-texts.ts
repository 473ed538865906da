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
