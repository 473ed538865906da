import type { KeptMails } from '../../core/ports/kept-mails.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { removeWaitingTo } from '../../models/outbox/waiting-mails.platform.js';

/** The number of the entry that a mail was sent for; 0 for a file without one. */
const entryOf = (key: string): number => Number(/^dispatch:(\d+)$/.exec(key)?.[1] ?? 0);

/**
 * Removes what waits and what is kept for an address. Mails asked for after the entry stay: they are for
 * whoever has the address by then.
 * @throws Error when a mail may have been on its way meanwhile, so that it is looked at once more
 */
export const createMailRemoval =
  (database: Database, kept: Pick<KeptMails, 'removeTo'>) =>
  async (address: string, entryId: number): Promise<void> => {
    const { tried } = await removeWaitingTo(database, address, entryId);
    await kept.removeTo(address, (key) => entryOf(key) < entryId);
    if (tried > 0)
      throw new Error('A mail to the address was perhaps just being sent; it is looked for once more.');
  };
