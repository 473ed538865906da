export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** What the mail is about, such as `reset-password`; lets a test or a person find it in the mail directory. */
  readonly kind: string;
  /** The out-of-band token the mail carries, or null. Never logged. */
  readonly token: string | null;
}

export interface Mailer {
  /**
   * At-least-once: a repeat after an unclear failure may deliver the mail twice.
   * @throws AppError unprocessable_entity when this mail is refused for good and need not be tried again
   * @param key the same for every attempt of one mail, so that receivers (or the mail directory) can drop repeats
   */
  send(mail: Mail, key: string): Promise<void>;
}
