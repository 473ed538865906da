/** Mails that the installation keeps by itself: the files of the mail directory. Behind a mail server there are none. */
export interface KeptMails {
  /**
   * Removes mails to this address, whatever its case; none is no error. Idempotent.
   * @param isMeant asked with the key that a mail was sent under
   * @returns how many went
   */
  removeTo(address: string, isMeant: (key: string) => boolean): Promise<number>;
  /** Mails about this tenant. */
  countAbout(tenantId: string): Promise<number>;
  /** Idempotent. @returns how many went */
  removeAbout(tenantId: string): Promise<number>;
}
