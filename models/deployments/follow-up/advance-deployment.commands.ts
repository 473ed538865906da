import { messages } from '../../notifications/messages.rules.js';
import { notify } from '../../notifications/notify.commands.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { ask, BATCH, waitsFor, waitsForWindow } from './ask-devices.commands.js';
import type { DeviceEvents } from '../devices/device-events.js';
import { countQueued } from '../devices/deployment-device.queries.js';
import { cancelDeleted } from '../devices/deployment-device.sql.js';
import {
  cancelUnstarted,
  countUnstarted,
  freeExpired,
  nextExpiry,
  takeBackCommands,
} from '../devices/withdrawal.sql.js';
import { firstInstalledAt } from '../devices/field-metrics.sql.js';
import { requeueFailed } from '../devices/retry-devices.sql.js';
import { lockDeployment } from '../deployment-lock.commands.js';
import { addLine } from '../deployment-log.commands.js';
import { endDeployment, keepCounts, moveDeployment } from './deployment-progress.commands.js';
import { AT_ONCE, type NextLook, NO_MORE } from '../deployment-state.rules.js';
import { isEnd, sumOf } from '../deployment-view.rules.js';
import type { DeploymentRef } from './deployment-work.types.js';
import { countStepsOf, findDeploymentRow } from '../deployment.queries.js';
import type { DeploymentRow, DeploymentStatus, Group, StepCount } from '../deployment.types.js';
import { brokenGroupText, countGroup, groupVerdict, isUntried } from './group-verdict.rules.js';
import type { Look } from './deployment-look.js';
import { recordMeasurement } from './record-measurement.commands.js';
import type { Measurement } from './broken-condition.queries.js';
import { heldUntil, watchEnd } from './look-times.rules.js';
import { beginRollback, failAndGoBack, goBack, goBackByItself } from './roll-back-deployment.commands.js';
import { windowState } from '../window.rules.js';

type Phase = (look: Look) => Promise<NextLook>;

const PHASES: Readonly<Record<DeploymentStatus, Phase>> = {
  PENDING: begin,
  IN_PROGRESS: goOn,
  PAUSED: stayPaused,
  SUCCEEDED: watch,
  FAILED: tryAgainOrGoBack,
  ROLLING_BACK: goBack,
  ABORTED: seeOut,
  ROLLED_BACK: seeOut,
};

/**
 * Takes a deployment on from where its rows stand. Idempotent; work of an older attempt changes nothing.
 * @param measurement of its rollback conditions, made before the row is locked; null: it was not their time
 * @param deviceEvents gets what happens to devices
 */
export async function advanceDeployment(
  tx: TenantTransaction,
  { deploymentId, attempt }: DeploymentRef,
  now: Date,
  measurement: Measurement | null,
  deviceEvents: DeviceEvents,
): Promise<NextLook> {
  const deployment = await lockDeployment(tx, deploymentId, attempt);
  if (!deployment) return NO_MORE;
  deployment.isCalled = false;
  await tx.em.flush();
  await cancelDeleted({ tx, deployment, deviceEvents });
  const row = (await findDeploymentRow(tx, deploymentId)) as DeploymentRow;
  if (measurement) await recordMeasurement(tx, deployment, row.modelName, measurement);
  const broken = row.isWatched ? (measurement?.broken ?? null) : null;
  const next = await PHASES[row.status]({ tx, deployment, deviceEvents, row, now, broken });
  await keepCounts(tx, deployment);
  return next;
}

async function begin(look: Look): Promise<NextLook> {
  const { tx, deployment, now } = look;
  if (deployment.wish === 'abort') return abort(look);
  const closed = await waitsForWindow(look);
  if (closed) return closed;
  deployment.startedAt = now;
  await moveDeployment(tx, deployment, 'IN_PROGRESS', 'Devices are asked.', now);
  return AT_ONCE;
}

async function goOn(look: Look): Promise<NextLook> {
  const { tx, deployment, broken } = look;
  if (deployment.wish === 'abort') return abort(look);
  if (broken !== null) return failAndGoBack(look, broken);
  if (deployment.wish === 'pause') return pause(look, 'Paused; devices that have begun go on.');
  const counts = await countStepsOf(tx, deployment.id);
  const held = await holdGroup(look, counts);
  return (await followGroups(look, counts, held !== null)) ?? askAndWait(look, counts, held);
}

/** Until when the current group, which has passed, is watched before the next one begins; null: it is not. */
async function holdGroup({ tx, deployment }: Look, counts: readonly StepCount[]): Promise<Date | null> {
  const { id, groups, currentGroup, rollbackOn } = deployment;
  const group = groups[currentGroup];
  if (rollbackOn.length === 0 || !group || currentGroup === groups.length - 1) return null;
  if (groupVerdict(group, countGroup(counts, currentGroup)) !== 'passed') return null;
  return heldUntil(deployment, await firstInstalledAt(tx, id, currentGroup));
}

/** @param isHeld the current group is watched before the next one begins @returns null while the current group goes on */
async function followGroups(
  look: Look,
  counts: readonly StepCount[],
  isHeld: boolean,
): Promise<NextLook | null> {
  const { tx, deployment, now } = look;
  const { groups, currentGroup } = deployment;
  const verdicts = groups
    .slice(0, currentGroup + 1)
    .map((group, at) => groupVerdict(group, countGroup(counts, at)));
  const broken = verdicts.indexOf('broken');
  if (broken >= 0) {
    await cancelUnstarted(look);
    const which = groups.length === 1 ? null : broken + 1;
    const message = brokenGroupText(groups[broken] as Group, countGroup(counts, broken), which);
    await endDeployment(tx, deployment, 'FAILED', message, now);
    return AT_ONCE;
  }
  if (verdicts.at(-1) !== 'passed' || isHeld) return null;
  if (counts.every(({ step }) => step === 'canceled')) {
    await endDeployment(tx, deployment, 'FAILED', NOBODY_LEFT, now);
    return AT_ONCE;
  }
  if (currentGroup < groups.length - 1) return beginNextGroup(look, counts);
  const all = groups.map((_, at) => countGroup(counts, at));
  if (all.some(({ open }) => open > 0)) return null;
  await endDeployment(tx, deployment, 'SUCCEEDED', endText(counts), now);
  return deployment.isWatched ? AT_ONCE : NO_MORE;
}

/** A group of which nobody is left has tried nothing: people say whether the next one begins all the same. */
async function beginNextGroup(look: Look, counts: readonly StepCount[]): Promise<NextLook> {
  const { tx, deployment, row, now } = look;
  const { id, version, groups, currentGroup, createdBy = null } = deployment;
  deployment.currentGroup += 1;
  const [passed, next] = [currentGroup + 1, currentGroup + 2];
  if (isUntried(groups[currentGroup] as Group, countGroup(counts, currentGroup))) {
    const reason = `No device of group ${passed} is left to try it. Resume to ask group ${next} all the same.`;
    const named = { id, modelName: row.modelName, version };
    await notify(tx, tx.tenantId, messages.deploymentPaused(named, reason, createdBy));
    return pause(look, reason);
  }
  const message = `Group ${next} of ${groups.length} is asked.`;
  await addLine(tx, id, message);
  await moveDeployment(tx, deployment, 'IN_PROGRESS', message, now);
  return AT_ONCE;
}

const NOBODY_LEFT = 'No device got it: all of them were deleted, or later deployments took them.';

function endText(counts: readonly StepCount[]): string {
  const succeeded = sumOf(counts, ({ step }) => step === 'succeeded');
  const failed = sumOf(counts, ({ step }) => step === 'failed');
  const installed = `${succeeded} ${succeeded === 1 ? 'device has' : 'devices have'} it`;
  return failed === 0 ? `${installed}.` : `${installed}; ${failed} failed.`;
}

async function askAndWait(look: Look, counts: readonly StepCount[], held: Date | null): Promise<NextLook> {
  const { tx, deployment, row, now } = look;
  const closed = await waitsForWindow(look);
  if (closed) return closed;
  if ((await freeExpired(look)).hasMore) return AT_ONCE;
  const expiresAt = row.maintenanceWindow ? windowState(row.maintenanceWindow, now).changesAt : null;
  if ((await ask(look, deployment.currentGroup, expiresAt)) === BATCH) return AT_ONCE;
  const open = sumOf(counts, ({ groupNo, step }) => groupNo <= deployment.currentGroup && !isEnd(step));
  const all = sumOf(counts, () => true);
  const message =
    held === null
      ? `Waiting for ${open} of ${all} ${all === 1 ? 'device' : 'devices'} to finish.`
      : `Group ${deployment.currentGroup + 1} is watched until ${minuteText(held)}; then the next one is asked.`;
  await moveDeployment(tx, deployment, 'IN_PROGRESS', message, now);
  const until = held !== null && held > now && (expiresAt === null || held < expiresAt) ? held : expiresAt;
  return waitsFor(deployment, now, await nextExpiry(tx, deployment, until), open);
}

const minuteText = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

async function pause(look: Look, message: string): Promise<NextLook> {
  const { tx, deployment, now } = look;
  const { hasMore } = await takeBackCommands(look);
  deployment.wish = null;
  await moveDeployment(tx, deployment, 'PAUSED', message, now);
  return hasMore ? AT_ONCE : waitsFor(deployment, now, null, 0);
}

async function stayPaused(look: Look): Promise<NextLook> {
  const { tx, deployment, row, now, broken } = look;
  if (deployment.wish === 'abort') return abort(look);
  if (broken !== null) {
    await moveDeployment(tx, deployment, 'IN_PROGRESS', 'Goes on to be rolled back.', now);
    return failAndGoBack(look, broken);
  }
  if (deployment.wish !== 'resume') {
    const { hasMore } = await takeBackCommands(look);
    return hasMore ? AT_ONCE : waitsFor(deployment, now, null, 0);
  }
  deployment.wish = null;
  await moveDeployment(tx, deployment, 'IN_PROGRESS', `Goes on with group ${row.currentGroup + 1}.`, now);
  return AT_ONCE;
}

async function abort(look: Look): Promise<NextLook> {
  const { tx, deployment, now } = look;
  const { moved } = await cancelUnstarted(look);
  const canceled = moved + (await countUnstarted(look));
  const message = `Aborted; ${canceled} ${canceled === 1 ? 'device was' : 'devices were'} not asked any more.`;
  await endDeployment(tx, deployment, 'ABORTED', message, now);
  return AT_ONCE;
}

/**
 * It has ended, and is followed on for as long as devices have a command in their hands that ends by itself: those that say
 * nothing of it until then have not begun. One that failed and waits for devices to go back is watched as well.
 */
async function seeOut(look: Look): Promise<NextLook> {
  const { tx, deployment, row, now } = look;
  if ((await cancelUnstarted(look)).hasMore) return AT_ONCE;
  const end = watchEnd(row);
  deployment.isWatched = deployment.isWatched && now < end;
  await tx.em.flush();
  const until = await nextExpiry(tx, deployment, deployment.isWatched ? end : null);
  return until === null ? NO_MORE : waitsFor(deployment, now, until, 0);
}

async function watch(look: Look): Promise<NextLook> {
  const { tx, deployment, row, now, broken } = look;
  if (deployment.wish === 'rollback') return beginRollback(look);
  if (!deployment.isWatched) return NO_MORE;
  if (broken !== null) return goBackByItself(look, broken);
  const hasIt = await followSwapped(look);
  const end = watchEnd(row);
  if (hasIt && now < end) return waitsFor(deployment, now, end, 0);
  deployment.isWatched = false;
  await tx.em.flush();
  return NO_MORE;
}

/**
 * Devices may swap back after it has succeeded. People are notified once, when that makes more failures than it allows.
 * @returns whether a device has it still
 */
async function followSwapped({ tx, deployment, row, now }: Look): Promise<boolean> {
  const { id, version, groups, counts: before, createdBy = null } = deployment;
  const counts = await countStepsOf(tx, id);
  const brokenGroup = (of: readonly StepCount[]) =>
    groups.findIndex((group, at) => groupVerdict(group, countGroup(of, at)) === 'broken');
  const broken = brokenGroup(counts);
  const which = groups.length === 1 ? null : broken + 1;
  const why =
    broken < 0 ? '' : ` ${brokenGroupText(groups[broken] as Group, countGroup(counts, broken), which)}`;
  const message = `${endText(counts)}${why}`;
  await moveDeployment(tx, deployment, row.status, message, now);
  // Each look writes what it counted: the one before has notified of what was broken then.
  if (broken >= 0 && !(before && brokenGroup(before) >= 0)) {
    await addLine(tx, id, message);
    const named = { id, modelName: row.modelName, version };
    await notify(tx, tx.tenantId, messages.deploymentFailed(named, message, createdBy));
  }
  return counts.some(({ step }) => step === 'succeeded');
}

async function tryAgainOrGoBack(look: Look): Promise<NextLook> {
  const { tx, deployment, now, broken } = look;
  if (deployment.wish === 'rollback') return beginRollback(look);
  if (deployment.wish !== 'retry') return broken === null ? seeOut(look) : goBackByItself(look, broken);
  if ((await requeueFailed(look, false)).hasMore) return AT_ONCE;
  const again = await countQueued(tx, deployment.id);
  Object.assign(deployment, { wish: null, finishedAt: null, isWatched: deployment.rollbackOn.length > 0 });
  const message = `${again} ${again === 1 ? 'device is' : 'devices are'} asked again.`;
  await moveDeployment(tx, deployment, 'IN_PROGRESS', message, now);
  return AT_ONCE;
}
