/** What the database says of its schema. */
export interface SchemaState {
  /** Names of the migrations that were applied. */
  readonly applied: readonly string[];
  /** What a program must know to serve it. */
  readonly required: string;
}

/**
 * Whether a program can serve a schema. More migrations than it knows are well while they only add: then the new schema
 * comes before the new program, and the old one goes on meanwhile.
 * @param known names of the program's migrations
 * @param state null where the database cannot say, as before the migration that lets it
 * @returns why not, or null
 */
export function schemaProblem(known: readonly string[], state: SchemaState | null): string | null {
  if (state === null) return older(known.at(-1) ?? '');
  const missing = known.find((name) => !state.applied.includes(name));
  if (missing !== undefined) return older(missing);
  return known.includes(state.required)
    ? null
    : `The database schema is newer than this program, which does not know the migration ${state.required}: start the newer program.`;
}

const older = (missing: string): string =>
  `The database schema is older than this program: the migration ${missing} is missing. Run "npm start -- migrate" with DATABASE_OWNER_URL.`;
