import path from 'node:path';
import type { Settings } from '../../core/config/settings.js';
import type { Logger } from '../../core/logging/logger.js';
import type { KeptMails } from '../../core/ports/kept-mails.js';
import type { Mailer } from '../../core/ports/mailer.js';
import { createFileMailer } from './file-mailer.js';
import { createKeptMails } from './mail-files.js';
import { createSmtpMailer } from './smtp-mailer.js';

type MailSettings = Pick<Settings, 'SMTP_URL' | 'SERVICE_MAIL_FROM' | 'SERVICE_DATA_DIR'>;

export const mailDirectory = (settings: Pick<MailSettings, 'SERVICE_DATA_DIR'>): string =>
  path.join(settings.SERVICE_DATA_DIR, 'mail');

/** Production requires SMTP_URL; elsewhere mails become files that a person or a test can read. */
export const openMailer = (settings: MailSettings, logger: Logger): Mailer =>
  settings.SMTP_URL === undefined
    ? createFileMailer(mailDirectory(settings), logger)
    : createSmtpMailer(settings.SMTP_URL, settings.SERVICE_MAIL_FROM);

/** Also with a mail server: files of the time before it may still be there. */
export const openKeptMails = (settings: Pick<MailSettings, 'SERVICE_DATA_DIR'>): KeptMails =>
  createKeptMails(mailDirectory(settings));
