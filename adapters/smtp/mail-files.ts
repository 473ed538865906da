import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { KeptMails } from '../../core/ports/kept-mails.js';
import type { Mail } from '../../core/ports/mailer.js';

/** What a file of the mail directory holds. */
export interface MailFile extends Pick<Mail, 'to' | 'subject' | 'text' | 'kind' | 'token'> {
  /** The key it was sent under. */
  readonly key: string;
  readonly tenant_ids: readonly string[];
}

/** A draft that a crash left counts as a mail. */
const isMail = (name: string): boolean => /\.json(\.tmp)?$/.test(name);

/** The mails that lie in a directory, which need not exist. */
export function createKeptMails(directory: string): KeptMails {
  async function* matching(isWanted: (mail: Partial<MailFile>) => boolean): AsyncGenerator<string> {
    for (const name of await listed(directory)) {
      const file = path.join(directory, name);
      if (isWanted(await readMail(file))) yield file;
    }
  }
  const removed = async (files: AsyncIterable<string>): Promise<number> => {
    let count = 0;
    for await (const file of files) {
      await rm(file, { force: true });
      count += 1;
    }
    return count;
  };
  const about = (tenantId: string) => matching((mail) => mail.tenant_ids?.includes(tenantId) === true);
  return {
    removeTo: (address, isMeant) =>
      removed(
        matching((mail) => mail.to?.toLowerCase() === address.toLowerCase() && isMeant(mail.key ?? '')),
      ),
    removeAbout: (tenantId) => removed(about(tenantId)),
    async countAbout(tenantId) {
      let count = 0;
      for await (const _file of about(tenantId)) count += 1;
      return count;
    },
  };
}

async function listed(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter(isMail);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Empty for a file that is gone by now or was cut off by a crash. */
async function readMail(file: string): Promise<Partial<MailFile>> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Partial<MailFile>;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
