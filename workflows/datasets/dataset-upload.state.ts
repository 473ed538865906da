import type { AssemblyLane } from '../../models/datasets/catalog/dataset-work.types.js';

/** The first that waits for others of its tenant asks so soon for a place. */
const FIRST_WAIT_MS = 5000;
const LONGEST_WAIT_MS = 120_000;

/** Pauses grow: what is waited for may take hours, and each costs the run eleven of the events it may have. @param waits those before */
export const placePauseMs = (waits: number): number =>
  Math.min(FIRST_WAIT_MS * 1.25 ** waits, LONGEST_WAIT_MS);

/** The steps of an assembly that may wait for a place, in their order. */
type AssemblyStep = 'join' | 'inspect' | 'unpack';

/** Where an assembly is: what a run that goes on as a new one hands over. */
export interface AssemblyStage {
  readonly step: AssemblyStep;
  readonly lane: AssemblyLane;
  readonly waits: number;
}

export const startOf = (step: AssemblyStep): AssemblyStage => ({ step, lane: 'quick', waits: 0 });

/** @param from where this run began @returns where it is when it comes to `step` */
export const stageAt = (step: AssemblyStep, from: AssemblyStage): AssemblyStage =>
  from.step === step ? from : startOf(step);
