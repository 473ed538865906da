import type { Clock } from '../../core/ports/clock.js';
import { markLooked } from '../../models/tenants/deletion-progress.platform.js';
import { listDoneSince, recordLateArrivals } from '../../models/tenants/deletion.platform.js';
import { DELETION_STEPS } from '../../models/tenants/deletion-steps.types.js';
import type { Erased, ErasureCounts } from '../../models/tenants/deletion.types.js';
import { findingsOf, mergeCounts, tableCount } from '../../models/tenants/erasure-counts.rules.js';
import { AUDIT_TABLE, type ErasurePlaces, surveyLate } from '../../models/tenants/erasure-survey.platform.js';
import { countRowsOf, listTenantTables, listUntiedTables } from '../../models/tenants/erasure-tables.sql.js';
import type { MaintenanceTask } from '../support/maintenance-task.js';
import { eraseTable } from './erase-rows.platform.js';
import { ERASERS } from './erasers.js';
import { type ErasureStep, transactOf } from './erasure-step.platform.js';

/** An upload that nothing cut may bring its last bytes so late. */
const LATE_MS = 2 * 86_400_000;
/**
 * Untied, but each of its rows is written in the statement that writes the latest value of its key, which is tied; without
 * an index by tenant a look at it would read the points of everybody.
 */
const WRITTEN_WITH_TIED: ReadonlySet<string> = new Set(['metric_point']);
/** Looks in one run; whoever was not looked at for longest comes first. */
const LOOKS = 100;

/**
 * Looks again for tenants whose erasure is over. A process that missed the news of it is refused by the tenant's absence,
 * but bytes that it was already receiving lie in the store before it asks, and tables that no key ties to the tenant
 * refuse nothing. What is found is written down and removed. Only such places are looked at, and the tables once for all.
 */
export const createLateArrivals = (places: ErasurePlaces, clock: Clock): MaintenanceTask => ({
  name: 'late-for-erasure',
  run: async (signal) => {
    const erased = await places.database.inPlatform((tx) =>
      listDoneSince(tx, new Date(clock.now().getTime() - LATE_MS), LOOKS),
    );
    if (erased.length === 0) return 0;
    const untied = (await places.database.inPlatform(listUntiedTables)).filter(
      (name) => !WRITTEN_WITH_TIED.has(name),
    );
    const rows = await rowsOf(places, untied, erased);
    let total = 0;
    for (const each of erased) {
      if (signal.aborted) break;
      // Before the look: one that always fails must not keep the others from their turn.
      await places.database.inPlatform((tx) => markLooked(tx, each.deletionId));
      const found = mergeCounts([await surveyLate(places, each.tenantId), rows.get(each.tenantId) ?? {}]);
      if (findingsOf(found).length === 0) continue;
      await places.database.inPlatform((tx) => recordLateArrivals(tx, each, found));
      await eraseLate(
        {
          ...places,
          ...each,
          state: { counts: {}, checkpoint: null },
          signal,
          transact: transactOf(places),
          advance: async () => undefined,
        },
        found,
        untied,
      );
      total += Object.values(found).reduce((sum, count) => sum + count, 0);
    }
    return total;
  },
});

/** By tenant, what the tables hold of it. A transaction for each table. */
async function rowsOf(
  { database }: ErasurePlaces,
  tables: readonly string[],
  erased: readonly Erased[],
): Promise<Map<string, ErasureCounts>> {
  const ids = erased.map(({ tenantId }) => tenantId);
  const found = new Map<string, Record<string, number>>();
  for (const table of tables)
    for (const { tenantId, rows } of await database.inPlatform((tx) => countRowsOf(tx, table, ids)))
      found.set(tenantId, { ...found.get(tenantId), [tableCount(table)]: rows });
  return found;
}

async function eraseLate(step: ErasureStep, found: ErasureCounts, untied: readonly string[]): Promise<void> {
  const has = (kind: string) => (found[kind] ?? 0) > 0;
  if (has('workflow_histories')) await ERASERS.stop(step);
  await ERASERS.objects(step);
  if (has('mails')) await ERASERS.mails(step);
  const tables = (await step.transact(listTenantTables)).filter(
    ({ name }) => untied.includes(name) && name !== AUDIT_TABLE,
  );
  for (const table of tables) if (has(tableCount(table.name))) await eraseTable(step, table);
  if (has('workflow_histories')) await ERASERS.histories(step);
  if (has(tableCount(AUDIT_TABLE))) await ERASERS.audit(step);
}

/** Everything that the steps remove, in their order. */
export async function eraseAgain(step: ErasureStep): Promise<void> {
  for (const key of DELETION_STEPS) if (key !== 'residue') await ERASERS[key](step);
}
