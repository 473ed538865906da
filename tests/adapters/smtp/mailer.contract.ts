import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Mail, Mailer } from '../../../core/ports/mailer.js';

export interface DeliveredMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface MailerUnderTest {
  readonly mailer: Mailer;
  /** What arrived, once for each mail whatever came twice. */
  delivered(): Promise<readonly DeliveredMail[]>;
  close(): Promise<void>;
}

const mail: Mail = {
  to: 'ada@example.org',
  subject: 'Your invitation to the shop',
  text: 'Follow the link.\nIt is good for a day.',
  kind: 'invite',
  token: null,
};

/** What every mailer does, whoever takes its mails. */
export function describeMailer(name: string, open: () => Promise<MailerUnderTest>): void {
  describe(`a mailer: ${name}`, () => {
    let under: MailerUnderTest;
    beforeEach(async () => {
      under = await open();
    });
    afterEach(() => under.close());

    it('delivers recipient, subject and text as given', async () => {
      await under.mailer.send(mail, 'dispatch:1');
      expect(await under.delivered()).toEqual([{ to: mail.to, subject: mail.subject, text: mail.text }]);
    });

    it('delivers a mail that is sent again under its key so that it counts once', async () => {
      await under.mailer.send(mail, 'dispatch:2');
      await under.mailer.send(mail, 'dispatch:2');
      await under.mailer.send({ ...mail, to: 'bob@example.org' }, 'dispatch:3');
      expect((await under.delivered()).map(({ to }) => to).sort()).toEqual([mail.to, 'bob@example.org']);
    });

    it('delivers nothing where the caller refuses before the mail is handed over', async () => {
      let isAsked = false;
      const refuse = async () => {
        isAsked = true;
        throw new Error('another worker has it');
      };
      const outcome = await under.mailer.send(mail, 'dispatch:4', refuse).then(
        () => 'sent',
        (error: Error) => error.message,
      );
      // A mailer whose repeats replace each other does not ask.
      expect(outcome).toBe(isAsked ? 'another worker has it' : 'sent');
      expect(await under.delivered()).toHaveLength(isAsked ? 0 : 1);
    });
  });
}
