import { askDevices } from '../devices/deployment-device.sql.js';
import { takeBackCommands } from '../devices/withdrawal.sql.js';
import { moveDeployment } from './deployment-progress.commands.js';
import { AT_ONCE, type NextLook } from '../deployment-state.rules.js';
import type { Deployment } from '../deployment.entity.js';
import type { Look } from './deployment-look.js';
import { nextWaitMs } from './look-times.rules.js';
import { singleFileDigests } from './version-digests.queries.js';
import { windowState, windowText } from '../window.rules.js';

/** Devices that are asked in one transaction. */
export const BATCH = 500;
/** Acknowledgements that come within so long are followed together. */
const GATHER_MS = 1000;

/** @param until something changes by itself then; null: nothing does @param open devices that may call */
export const waitsFor = (deployment: Deployment, now: Date, until: Date | null, open: number): NextLook => ({
  isEnd: false,
  waitMs: nextWaitMs(deployment, now, until),
  gatherMs: open > 1 ? GATHER_MS : 0,
});

/** Writes commands for devices of the groups up to this one. @returns how many were asked; `BATCH`: there may be more */
export async function ask(look: Look, groupNo: number, expiresAt: Date | null): Promise<number> {
  const { modelName, image } = look.row;
  const sha256 = await singleFileDigests(look.tx, look.row);
  return askDevices(look, groupNo, { modelName, image, sha256, expiresAt }, BATCH);
}

/** Outside of its window nothing is begun: what nobody has begun is taken back. @returns null while it is open, or has none */
export async function waitsForWindow(look: Look): Promise<NextLook | null> {
  const { tx, deployment, now } = look;
  const window = deployment.maintenanceWindow ?? null;
  const state = window === null ? null : windowState(window, now);
  if (window === null || state === null || state.isOpen) return null;
  if ((await takeBackCommands(look)).hasMore) return AT_ONCE;
  const message = `Waits for its window (${windowText(window)}).`;
  await moveDeployment(tx, deployment, deployment.status, message, now);
  return waitsFor(deployment, now, state.changesAt, 0);
}
