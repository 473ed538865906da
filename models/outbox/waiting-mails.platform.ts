import { sql } from 'kysely';
import type { Database } from '../orm/in-tenant.js';
import { recipientMark } from './sealed-mail.js';
import { type RemovedMail, removeMailsAbout, removeMailsTo } from './waiting-mails.sql.js';

/** What of the mails that wait was removed. A mail that was tried before may be on its way at this moment. */
export interface RemovedMails {
  readonly removed: number;
  readonly tried: number;
}

/** Removes mails to an address that were asked for before an entry. */
export const removeWaitingTo = (db: Database, address: string, beforeId: number): Promise<RemovedMails> =>
  db.inPlatform(async (tx) => counted(await removeMailsTo(tx, recipientMark(address), beforeId)));

/** Removes mails about a tenant. */
export const removeWaitingAbout = (db: Database, tenantId: string): Promise<RemovedMails> =>
  db.inPlatform(async (tx) => counted(await removeMailsAbout(tx, tenantId)));

export const countWaitingAbout = (db: Database, tenantId: string): Promise<number> =>
  db.inPlatform(async ({ kysely }) => {
    const { waiting } = await kysely
      .selectFrom('dispatch')
      .select(({ fn }) => fn.countAll<number>().as('waiting'))
      .where('kind', '=', 'mail')
      .where(isAbout(tenantId))
      .executeTakeFirstOrThrow();
    return waiting;
  });

const isAbout = (tenantId: string) => sql<boolean>`payload->'tenantIds' ? ${tenantId}`;

const counted = (rows: readonly RemovedMail[]): RemovedMails => ({
  removed: rows.length,
  tried: rows.filter(({ attempts }) => attempts > 0).length,
});
