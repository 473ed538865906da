/** What a migration must not do in one step while the version before runs on the schema after it (docs/adr/upgrades.md). */
export interface SchemaRule {
  readonly name: string;
  /** That of the statement without comments, in lower case and with single spaces. */
  readonly forbids: RegExp;
  /** True where it does not matter for a table that the same migration makes. */
  readonly exceptNewTables: boolean;
}

export const SCHEMA_RULES: readonly SchemaRule[] = [
  {
    name: 'nothing is dropped that the version before may use',
    forbids: /\bdrop (table|column|view|function|type|sequence|schema|default)\b|\btruncate\b/,
    exceptNewTables: false,
  },
  {
    name: 'nothing is renamed',
    forbids: /\brename (to|column|constraint)\b|\brename \w+ to\b/,
    exceptNewTables: false,
  },
  {
    name: 'a new column is null or has a default',
    forbids: /\badd (column )?(if not exists )?(?!constraint\b)\w+ (?![^,]*\bdefault\b)[^,]*\bnot null\b/,
    exceptNewTables: true,
  },
  { name: 'a column stays nullable', forbids: /\bset not null\b/, exceptNewTables: true },
  {
    name: 'a column keeps its type',
    forbids: /\balter (column )?\w+ (set data )?type\b/,
    exceptNewTables: true,
  },
  {
    name: 'a new column does not rewrite its table',
    forbids:
      /\badd (column )?(if not exists )?(?!constraint\b)\w+ [^,]*(\bdefault (gen_random_uuid|random|clock_timestamp|nextval|uuidv7)\(|\bgenerated always as \(|\bgenerated (always|by default) as identity|\b(small|big)?serial\b)/,
    exceptNewTables: true,
  },
  {
    name: 'a constraint is added not valid, and validated by a later migration',
    forbids:
      /\badd (constraint \w+ )?(check|foreign key)(?!.*\bnot valid\b)|\badd (constraint \w+ )?(unique|primary key|exclude) (?!using index)/,
    exceptNewTables: true,
  },
  {
    name: 'an index is made concurrently',
    forbids: /\bcreate (unique )?index (?!concurrently)/,
    exceptNewTables: true,
  },
  { name: 'the roles keep their rights', forbids: /\brevoke\b.*\bfrom visionops_/, exceptNewTables: true },
];

/** A statement that is safe all the same says why: `-- upgrade: the table has one row`. */
const REASON = /-- upgrade: \S+( \S+){2,}/;

/** @returns one line for each broken rule, with the statement that breaks it */
export function brokenRules(statements: readonly string[]): string[] {
  const all = statements.flatMap(split);
  const made = new Set(
    all.flatMap(
      (text) => /\bcreate (?:unlogged )?table (?:if not exists )?(\w+)/.exec(plain(text))?.[1] ?? [],
    ),
  );
  return all
    .filter((text) => !REASON.test(text))
    .flatMap((text) => {
      const statement = plain(text);
      const table = /\b(?:alter table(?: if exists)?(?: only)?|\bon) (\w+)/.exec(statement)?.[1] ?? '';
      return SCHEMA_RULES.filter(
        ({ forbids, exceptNewTables }) => forbids.test(statement) && !(exceptNewTables && made.has(table)),
      ).map(({ name }) => `${name}: ${statement.slice(0, 100)}`);
    });
}

/** At semicolons, save those in bodies of functions, which run later and are looked at by nobody here. */
const split = (text: string): string[] => text.replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''").split(';');

const plain = (text: string): string =>
  text
    .replace(/--[^\n]*/g, ' ')
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
