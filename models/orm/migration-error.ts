/** A migration that cannot be applied. The message names it and the next step. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';

  static failed(migration: string, cause: Error): MigrationError {
    return new MigrationError(
      `The migration ${migration} failed: ${cause.message}. Those before it are applied, and the version before ` +
        'runs on the schema as it is now: migrate again once the reason is gone.',
      { cause },
    );
  }

  static blocked(migration: string, tries: number, holder: string, cause: Error): MigrationError {
    return new MigrationError(
      `The migration ${migration} got no lock in ${tries} tries${holder}: end the transaction that holds it and ` +
        'migrate again. The version before runs on the schema as it is now.',
      { cause },
    );
  }
}
