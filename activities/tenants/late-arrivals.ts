import type { Clock } from '../../core/ports/clock.js';
import { listDoneSince, logDeletion } from '../../models/tenants/deletion.repository.js';
import { DELETION_STEPS } from '../../models/tenants/deletion.types.js';
import { findingsOf } from '../../models/tenants/erasure-counts.rules.js';
import { type ErasurePlaces, surveyTenant } from '../../models/tenants/erasure-survey.js';
import type { MaintenanceTask } from '../support/maintenance-task.js';
import { ERASERS } from './erasers.js';
import type { ErasureStep } from './erasure-step.js';

/** An upload that nothing cut may bring its last bytes so late. */
const LATE_MS = 2 * 86_400_000;

/**
 * Looks again for tenants whose erasure is over. A process that missed the news of it is refused by the tenant's absence,
 * but bytes that it was already receiving lie in the store before it asks. What is found is removed, and the log of the
 * deletion says so.
 */
export const createLateArrivals = (places: ErasurePlaces, clock: Clock): MaintenanceTask => ({
  name: 'late-for-erasure',
  run: async (signal) => {
    let total = 0;
    for (const { deletionId, tenantId } of await places.database.inPlatform((tx) => listDoneSince(tx, new Date(clock.now().getTime() - LATE_MS)))) {
      if (signal.aborted) break;
      const found = await surveyTenant(places, tenantId);
      const findings = findingsOf(found);
      if (findings.length === 0) continue;
      await eraseAgain({ ...places, tenantId, deletionId, state: { counts: {}, checkpoint: null }, signal, advance: async () => undefined });
      await places.database.inPlatform((tx) => logDeletion(tx, deletionId, null, `Came after the end and was removed: ${findings.join(', ')}.`));
      total += Object.values(found).reduce((sum, count) => sum + count, 0);
    }
    return total;
  },
});

/** Everything that the steps remove, in their order. */
export async function eraseAgain(step: ErasureStep): Promise<void> {
  for (const key of DELETION_STEPS) if (key !== 'residue') await ERASERS[key](step);
}
