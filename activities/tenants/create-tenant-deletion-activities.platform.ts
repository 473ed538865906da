import type { EventBus } from '../../core/ports/event-bus.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import { signDocument } from '../../core/security/signed-document.js';
import { keptSeals } from '../../models/audit/audit-seal.platform.js';
import type { PlatformTransaction } from '../../models/orm/transaction.js';
import { deletionEvent, deletionStepEvent } from '../../models/tenants/deletion-events.js';
import {
  beginDeletion,
  beginStep,
  completeDeletion,
  failDeletion,
  finishStep,
} from '../../models/tenants/deletion-progress.platform.js';
import { findDeletion, listDeletionSteps } from '../../models/tenants/deletion.platform.js';
import type { DeletionStepKey } from '../../models/tenants/deletion-steps.types.js';
import type { DeletionRef, DeletionRow } from '../../models/tenants/deletion.types.js';
import { erasureCertificate } from '../../models/tenants/erasure-certificate.js';
import type { ErasurePlaces } from '../../models/tenants/erasure-survey.platform.js';
import { withHeartbeat } from '../support/activity-context.js';
import { ERASERS } from './erasers.js';
import { openStep } from './erasure-step.platform.js';
import { findResidue } from './find-residue.js';
import type { TenantDeletionActivities } from './tenant-deletion.activities.js';

export interface TenantDeletionDeps extends ErasurePlaces {
  readonly events: EventBus;
  readonly keys: KeyRing;
}

export function createTenantDeletionActivities(deps: TenantDeletionDeps): TenantDeletionActivities {
  const { database, events } = deps;
  return {
    beginTenantDeletion: (ref) =>
      database.inPlatform(async (tx) => {
        const steps = await beginDeletion(tx, ref);
        if (steps !== null) tx.afterCommit(() => events.publish([deletionEvent(ref.deletionId, 'running')]));
        return steps;
      }),
    runTenantDeletionStep: (ref, key) => withHeartbeat(({ signal }) => runStep(deps, ref, key, signal)),
    completeTenantDeletion: (ref) =>
      database.inPlatform(async (tx) => {
        const done = await completeDeletion(tx, ref, (deletion, now) =>
          certify(tx, deps.keys, deletion, now),
        );
        if (done) tx.afterCommit(() => events.publish([deletionEvent(ref.deletionId, 'done')]));
      }),
    failTenantDeletion: (ref, reason) =>
      database.inPlatform(async (tx) => {
        const failed = await failDeletion(tx, ref, reason);
        if (failed === null) return;
        const steps = failed.map((key) => deletionStepEvent(ref.deletionId, key, 'failed', shown(reason)));
        tx.afterCommit(() => events.publish([...steps, deletionEvent(ref.deletionId, 'failed')]));
      }),
  };
}

async function runStep(
  { events, ...places }: TenantDeletionDeps,
  ref: DeletionRef,
  key: DeletionStepKey,
  signal: AbortSignal,
): Promise<void> {
  const { database } = places;
  const begun = await database.inPlatform(async (tx) => {
    const [deletion, state] = [await findDeletion(tx, ref.deletionId), await beginStep(tx, ref, key)];
    if (state) tx.afterCommit(() => events.publish([deletionStepEvent(ref.deletionId, key, 'running', '')]));
    return deletion && state ? { tenantId: deletion.tenantId, state } : null;
  });
  if (begun === null) return;
  const erase = key === 'residue' ? findResidue : ERASERS[key];
  await erase(openStep(places, { ref, key, signal, ...begun }));
  await database.inPlatform(async (tx) => {
    const message = await finishStep(tx, ref, key);
    if (message !== null)
      tx.afterCommit(() => events.publish([deletionStepEvent(ref.deletionId, key, 'done', shown(message))]));
  });
}

async function certify(tx: PlatformTransaction, keys: KeyRing, deletion: DeletionRow, now: Date) {
  const steps = (await listDeletionSteps(tx, [deletion.deletionId])).get(deletion.deletionId) ?? [];
  return signDocument(keys, erasureCertificate(deletion, steps, await keptSeals(tx, deletion.tenantId), now));
}

/** Events are thin; the whole message is read by REST. */
const shown = (message: string): string => message.slice(0, 500);
