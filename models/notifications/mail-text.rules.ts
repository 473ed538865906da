import type { Mail } from '../../core/ports/mailer.js';
import { textsOf } from './joined-requests.rules.js';

/** An entry that somebody is to get by mail. */
export interface MailedEntry {
  kind: string;
  title: string;
  body: string;
  link: string | null;
  count: number;
  tenantId: string | null;
  tenantCode: string | null;
  tenantName: string | null;
}

export interface MailedPerson {
  readonly email: string;
  /** The latest first; at most MAX_MAILED. */
  readonly entries: readonly MailedEntry[];
  /** How many there are, also beyond those in `entries`. */
  readonly total: number;
}

/** More entries than this are only counted: a mail is read, not searched. */
export const MAX_MAILED = 50;

/**
 * One mail for everything that waits for a person. @param baseUrl address of the platform as people know it
 */
export function digestMail({ email, entries, total }: MailedPerson, baseUrl: string): Mail {
  const base = baseUrl.replace(/\/+$/, '');
  const [first] = entries;
  const subject = total === 1 && first ? textsOf(first).title : `${total} notifications`;
  const rest = total > entries.length ? [`And ${total - entries.length} more.`] : [];
  const text = [
    ...entries.map((entry) => entryText(entry, base)),
    ...rest,
    `You get this mail because your preferences ask for it. Change them with PUT ${base}/api/v1/notifications/preferences; all entries: GET ${base}/api/v1/notifications`,
  ].join('\n\n');
  const tenantIds = [...new Set(entries.flatMap((entry) => entry.tenantId ?? []))];
  return {
    to: email,
    subject: `[VisionOps] ${subject}`,
    text: `${text}\n`,
    kind: 'notifications',
    token: null,
    tenantIds,
  };
}

function entryText(entry: MailedEntry, base: string): string {
  const { title, body } = textsOf(entry);
  const where =
    entry.tenantCode === null ? [] : [`Tenant ${entry.tenantName ?? entry.tenantCode} (${entry.tenantCode})`];
  const link =
    entry.link === null
      ? []
      : [`${base}${entry.link}${entry.tenantCode === null ? '' : `?tenant=${entry.tenantCode}`}`];
  return [title, ...(body === '' ? [] : [body]), ...where, ...link].join('\n');
}
