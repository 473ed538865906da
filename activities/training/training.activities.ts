import type { AttemptRef } from '../../models/training/experiment.types.js';
import type {
  AttemptEnd,
  BegunAttempt,
  JobOutcome,
  RegisteredVersion,
} from '../../models/training/training-work.types.js';

/** Side effects of one attempt of a training experiment. Each is idempotent and does nothing for an attempt that is over. */
export interface TrainingActivities {
  /** QUEUED to PREPARING. Null when the attempt is over or replaced already: there is nothing to do. */
  beginAttempt(ref: AttemptRef): Promise<BegunAttempt | null>;
  /** Checks the frozen data and opens the run. @throws AppError naming what is wrong with the data */
  prepareAttempt(ref: AttemptRef): Promise<void>;
  /**
   * Asks for the job: a host is chosen for it, whose agent starts it. Its name is new in 0.2: a worker of 0.1, whose `startJob`
   * starts a process of its own, must not take it.
   */
  requestJob(ref: AttemptRef): Promise<void>;
  /** The same, for attempts that 0.1 began. */
  startJob(ref: AttemptRef): Promise<void>;
  /** Brings messages and state (PREPARING to RUNNING) in line with the job. @returns null while it has not ended */
  lookAtJob(ref: AttemptRef): Promise<JobOutcome | null>;
  /** Asks for the end of the job. @returns whether nothing of it runs any more */
  haltJob(ref: AttemptRef): Promise<boolean>;
  /** Asks for the removal of the job's working directory. */
  removeJob(ref: AttemptRef): Promise<void>;
  /** Looks at the job until it has ended; for attempts that 0.1 began. */
  followJob(ref: AttemptRef): Promise<JobOutcome>;
  /** Ends the job and waits for it; for attempts that 0.1 began. */
  stopJob(ref: AttemptRef): Promise<void>;
  /** RUNNING to FINALIZING: stores the log as an artifact, checks the artifacts; the run takes no more of its job. */
  finalizeAttempt(ref: AttemptRef): Promise<void>;
  /** The run goes on: what follows may fail, and experiment and run end alike. */
  registerTrainedModel(ref: AttemptRef): Promise<RegisteredVersion>;
  /** Asks for the model image; the end of its build signals the workflow. @returns its id */
  requestTrainedImage(ref: AttemptRef, version: RegisteredVersion): Promise<string>;
  /** @returns false while it is being built @throws AppError conflict when it failed, or was removed */
  lookAtTrainedImage(ref: AttemptRef, imageId: string): Promise<boolean>;
  /** Asks for the model image and waits until it is READY; for attempts that 0.1 began. @returns its id */
  buildTrainedImage(ref: AttemptRef, version: RegisteredVersion): Promise<string>;
  /** Asks for the endpoint; it comes up by itself. Where there can be none, as with a name that is taken, its step has failed. */
  createTrainedEndpoint(ref: AttemptRef, imageId: string): Promise<void>;
  /** Stores what there is of the log as an artifact of the run. */
  storeAttemptLog(ref: AttemptRef): Promise<void>;
  /** The last word: state, steps, run and audit. The first end stays. */
  endAttempt(ref: AttemptRef, end: AttemptEnd): Promise<void>;
}
