import type { DeletionStepKey } from '../../models/tenants/deletion-steps.types.js';
import type { DeletionRef } from '../../models/tenants/deletion.types.js';
import {
  advanceStep,
  type StepProgress,
  type StepState,
} from '../../models/tenants/deletion-progress.platform.js';
import type { ErasurePlaces } from '../../models/tenants/erasure-survey.platform.js';
import type { PlatformTransaction } from '../../models/orm/transaction.js';

/** What one step works with. Everything that it counts is counted before or together with what it does, so that a crash counts nothing twice. */
export interface ErasureStep extends ErasurePlaces {
  readonly tenantId: string;
  readonly deletionId: string;
  /** Where it stood when it began. */
  readonly state: StepState;
  readonly signal: AbortSignal;
  /** A transaction that sees every tenant. */
  transact<T>(work: (tx: PlatformTransaction) => Promise<T>): Promise<T>;
  /** Writes progress in the transaction of the effect. @throws AppError conflict when another attempt has taken over */
  advance(tx: PlatformTransaction, change: (state: StepState) => StepProgress | null): Promise<void>;
}

export type Eraser = (step: ErasureStep) => Promise<void>;

/** As `advance`, for effects outside of the database. */
export const recordProgress = (
  step: ErasureStep,
  change: (state: StepState) => StepProgress | null,
): Promise<void> => step.transact((tx) => step.advance(tx, change));

/** Counts once what the step is about to remove, however often it is begun. */
export const countOnce = (step: ErasureStep, counts: Readonly<Record<string, number>>): Promise<void> =>
  recordProgress(step, (state) =>
    state.checkpoint === null ? { counts, checkpoint: { counted: true } } : null,
  );

/** What `transact` of a step is. */
export const transactOf =
  ({ database }: Pick<ErasurePlaces, 'database'>): ErasureStep['transact'] =>
  (work) =>
    database.inPlatform(work);

export function openStep(
  places: ErasurePlaces,
  of: {
    readonly ref: DeletionRef;
    readonly key: DeletionStepKey;
    readonly tenantId: string;
    readonly state: StepState;
    readonly signal: AbortSignal;
  },
): ErasureStep {
  return {
    ...places,
    tenantId: of.tenantId,
    deletionId: of.ref.deletionId,
    state: of.state,
    signal: of.signal,
    transact: transactOf(places),
    advance: (tx, change) => advanceStep(tx, of.ref, of.key, change),
  };
}
