export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** What the mail is about, such as `reset-password`; lets a test or a person find it in the mail directory. */
  readonly kind: string;
  /** Tenants it is about; it is removed with them. None when absent. */
  readonly tenantIds?: readonly string[];
  /** The out-of-band token the mail carries, or null. Never logged. */
  readonly token: string | null;
}

export interface Mailer {
  /**
   * At-least-once: a repeat after an unclear failure may deliver the mail twice.
   * @throws AppError unprocessable_entity when this mail is refused for good and need not be tried again
   * @param key the same for every attempt of one mail, so that receivers (or the mail directory) can drop repeats
   * @param beforeHandOver awaited before the server gets the mail; when it throws the mail is not sent. A mailer whose repeats
   * replace each other does not call it
   */
  send(mail: Mail, key: string, beforeHandOver?: () => Promise<void>): Promise<void>;
}
