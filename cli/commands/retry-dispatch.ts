import { retryGivenUp } from '../../models/outbox/dispatch.platform.js';
import type { Arguments } from '../arguments.js';
import { withPlatformDatabase } from './platform-database.js';

const SHOWN = 100;

/** Lists durable work that was given up and has it tried again: to be asked for once the cause is repaired. */
export async function retryDispatch(args: Arguments): Promise<number> {
  return withPlatformDatabase(args.dataDir, async (db) => {
    const { items, total } = await retryGivenUp(db, SHOWN);
    for (const { kind, workflowId, id, reason } of items)
      console.log(`  ${kind} ${workflowId ?? id}: ${reason}`);
    console.log(
      total === 0
        ? 'Nothing was given up.'
        : `${total} ${total === 1 ? 'entry is' : 'entries are'} tried again.`,
    );
    return 0;
  });
}
