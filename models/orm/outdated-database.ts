/** A database whose schema cannot be brought up to date. The message names the next step. */
export class OutdatedDatabaseError extends Error {
  override readonly name = 'OutdatedDatabaseError';

  constructor(migration: string) {
    super(
      `This database is from before the first release (it has the migration ${migration}): its schema cannot ` +
        'be brought up to date. Run "npm start -- reset --yes" (with the same --data-dir, if you gave one), ' +
        'which moves the data aside, and start again. On a database server of your own, use a new, empty ' +
        'database instead.',
    );
  }
}

/** A database with rows of a backup that nobody made an installation of. */
export class UnfinishedRestoreError extends Error {
  override readonly name = 'UnfinishedRestoreError';

  constructor() {
    super(
      'A restore into this database was cut short: run "npm start -- restore FOLDER" again, which begins anew.',
    );
  }
}
