/** A database that cannot be used as it is. The message names the command that is the next step. */
export abstract class NextStepError extends Error {
  /** @param text the message, given how a command is typed */
  constructor(private readonly text: (command: (words: string) => string) => string) {
    super(text((words) => `npm start -- ${words}`));
  }

  /** The message for those who know which flags the command needs. */
  messageWith(command: (words: string) => string): string {
    return this.text(command);
  }
}

/** A database whose schema cannot be brought up to date. */
export class OutdatedDatabaseError extends NextStepError {
  override readonly name = 'OutdatedDatabaseError';

  constructor(migration: string) {
    super(
      (command) =>
        `This database is from before the first release (it has the migration ${migration}): its schema ` +
        `cannot be brought up to date. Run "${command('reset --yes')}", which moves the data aside, and start ` +
        'again. On a database server of your own, use a new, empty database instead.',
    );
  }
}

/** A database of a version that was being made, and has changed since. */
export class ChangedMigrationError extends NextStepError {
  override readonly name = 'ChangedMigrationError';

  constructor(migration: string) {
    super(
      (command) =>
        `The migration ${migration} was applied to this database in another form: the database is from a version ` +
        `that was not released, and its schema is not the one of this version. Run "${command('reset --yes --aside')}", ` +
        'which moves the data aside, and start again. On a database server of your own, use a new, empty database ' +
        'instead.',
    );
  }
}

/** A database with rows of a backup that nobody made an installation of. */
export class UnfinishedRestoreError extends NextStepError {
  override readonly name = 'UnfinishedRestoreError';

  constructor() {
    super(
      (command) =>
        `A restore into this database was cut short: run "${command('restore FOLDER')}" again, which begins anew.`,
    );
  }
}
