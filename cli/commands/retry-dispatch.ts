import { audit } from '../../models/audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../../models/audit/audit.types.js';
import { listGivenUp, reviveGivenUp } from '../../models/orm/dispatch.repository.js';
import type { Arguments } from '../arguments.js';
import { withPlatformDatabase } from './platform-database.js';

const SHOWN = 100;

/** Lists durable work that was given up and has it tried again: to be asked for once the cause is mended. */
export async function retryDispatch(args: Arguments): Promise<number> {
  return withPlatformDatabase(args.dataDir, async (db) => {
    const { items, total } = await db.inPlatform(async (tx) => {
      const found = await listGivenUp(tx, SHOWN);
      if (found.total === 0) return found;
      await reviveGivenUp(tx);
      await audit(tx, null, SYSTEM_ACTOR, { action: 'dispatch.retry', target: { kind: 'dispatch', id: 'all' }, detail: { entries: found.total } });
      return found;
    });
    for (const { kind, workflowId, id, reason } of items) console.log(`  ${kind} ${workflowId ?? id}: ${reason}`);
    console.log(total === 0 ? 'Nothing was given up.' : `${total} ${total === 1 ? 'entry is' : 'entries are'} tried again.`);
    return 0;
  });
}
