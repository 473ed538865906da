import { recipientMark } from './sealed-mail.js';
import type { PlatformTransaction } from './transaction.js';

/** What of the mails that wait was removed. A mail that was tried before may be on its way at this moment. */
export interface RemovedMails {
  readonly removed: number;
  readonly tried: number;
}

const counted = (rows: Array<{ attempts: number }>): RemovedMails => ({ removed: rows.length, tried: rows.filter(({ attempts }) => attempts > 0).length });

/** Removes mails to an address that were asked for before an entry. */
export async function removeWaitingTo(tx: PlatformTransaction, address: string, beforeId: number): Promise<RemovedMails> {
  return counted(await tx.query("delete from dispatch where kind = 'mail' and payload->>'to' = $1 and id < $2 returning attempts", [recipientMark(address), beforeId]));
}

const ABOUT = "kind = 'mail' and payload->'tenantIds' ? $1";

/** Removes mails that tell of a tenant. */
export async function removeWaitingAbout(tx: PlatformTransaction, tenantId: string): Promise<RemovedMails> {
  return counted(await tx.query(`delete from dispatch where ${ABOUT} returning attempts`, [tenantId]));
}

export async function countWaitingAbout(tx: PlatformTransaction, tenantId: string): Promise<number> {
  const [row] = await tx.query<{ n: number }>(`select count(*) as n from dispatch where ${ABOUT}`, [tenantId]);
  return row?.n ?? 0;
}
