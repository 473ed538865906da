import { isDispatchUnderWay } from '../../models/outbox/dispatch.platform.js';
import { askToRemoveWorkloads, workloadsOf } from '../../models/workloads/hosted.platform.js';
import { pause } from '../support/background.js';
import { type Eraser, type ErasureStep, countOnce } from './erasure-step.platform.js';

const LOOK_MS = 500;
/** The engine's lists lag behind: what began last may show a second later. */
const QUIET_LOOKS = 3;
/** An activity of a terminated workflow hears of it with its next heartbeat, and one without heartbeats ends within 10 s. */
const ACTIVITIES_END_MS = 12_000;
const REASON = 'The tenant is being deleted.';

/** Ends every workflow of the tenant and waits until their activities have let go. Its dispatch entries are held back already. */
export const stopWork: Eraser = async (step) => {
  const { running } = await step.histories.count(step.tenantId);
  await countOnce(step, { running_workflows: running });
  while (await isDispatchUnderWay(step.database, step.tenantId)) await rest(step);
  const ended = await untilQuiet(step, () => step.histories.terminate(step.tenantId, REASON));
  if (ended > 0 || running > 0 || (step.state.counts.running_workflows ?? 0) > 0)
    await rest(step, ACTIVITIES_END_MS);
};

export const removeWorkloads: Eraser = async (step) => {
  const { database, tenantId } = step;
  await countOnce(step, { workloads: (await workloadsOf(database, tenantId)).length });
  await askToRemoveWorkloads(database, tenantId);
  // Each host removes its own; what a lost host had is dropped once it is marked as lost.
  while ((await workloadsOf(database, tenantId, 1)).length > 0) await rest(step);
};

export const removeHistories: Eraser = async (step) => {
  await countOnce(step, { workflow_histories: (await step.histories.count(step.tenantId)).all });
  await untilQuiet(step, () => step.histories.remove(step.tenantId));
};

/** Repeats until it finds nothing several times in a row. @returns how much it found */
async function untilQuiet(step: ErasureStep, act: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let quiet = 0; quiet < QUIET_LOOKS; ) {
    const found = await act();
    total += found;
    quiet = found === 0 ? quiet + 1 : 0;
    if (quiet < QUIET_LOOKS) await rest(step);
  }
  return total;
}

async function rest(step: ErasureStep, ms = LOOK_MS): Promise<void> {
  await pause(ms, step.signal);
  step.signal.throwIfAborted();
}
