import {
  findUncoveredEntries,
  findUnsealedEntries,
  verifyAllChains,
} from '../../models/audit/audit-seal.platform.js';
import type { Arguments } from '../arguments.js';
import { withPlatformDatabase } from './platform-database.js';

const SHOWN_UNCOVERED = 100;

/**
 * Compares every seal of the audit trail with its rows, and says what is not sealed yet. Exit code 1 when
 * somebody changed, added or removed sealed rows, or put some in where no seal will ever come.
 */
export async function verifyAudit(args: Arguments): Promise<number> {
  return withPlatformDatabase(args.dataDir, async (db) => {
    let broken = 0;
    for await (const report of verifyAllChains(db)) {
      const removed =
        report.removedRanges > 0 ? `, ${report.removedRanges} ranges removed by retention or erasure` : '';
      console.log(
        `${report.problems.length === 0 ? 'intact' : 'BROKEN'}  ${report.chain}  ${report.rows} entries under ${report.seals} seals${removed}; newest seal ${report.newest}`,
      );
      for (const { epoch, fromId, toId, problem } of report.problems)
        console.log(`        entries after ${fromId} up to ${toId} of epoch ${epoch}: ${problem}`);
      broken += report.problems.length > 0 ? 1 : 0;
    }
    const { count, oldestS } = await findUnsealedEntries(db);
    const age = oldestS === null ? '' : `, the oldest ${Math.round(oldestS)} s old`;
    console.log(`${count} entries are not sealed yet${age}`);
    const uncovered = await findUncoveredEntries(db, SHOWN_UNCOVERED);
    for (const { id, chain, at } of uncovered)
      console.log(`ADDED   ${chain}  entry ${id} of ${at.toISOString()}: no seal will ever cover it`);
    if (uncovered.length === SHOWN_UNCOVERED) console.log('        and perhaps more');
    return broken === 0 && uncovered.length === 0 ? 0 : 1;
  });
}
