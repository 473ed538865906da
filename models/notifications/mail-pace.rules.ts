/** How mails of one person keep apart. */
export interface MailPace {
  /** The first mail waits this long for what else happens. */
  readonly settleS: number;
  /** At most one mail to a person within this time. */
  readonly windowS: number;
}

/** The first mail waits half a minute for what else happens; then at most one in a quarter of an hour. */
export const MAIL_PACE: MailPace = { settleS: 30, windowS: 900 };
