import { TrackerFailure, TrackerForbidden, TrackerRefusal, type TrackerServer } from './tracker-server.js';

/** Tag of what was copied: its id on the server that it came from. */
export const SOURCE_TAG = 'mlflow.import.source';
/** Tag of how much of it was copied. */
export const STATE_TAG = 'mlflow.import.state';
/** Whole: it will not be looked at again. */
export const COMPLETE = 'complete';
/** Tag of a version for whose stage a promotion was asked that people decide about: none is asked for again. */
export const STAGE_TAG = 'mlflow.import.stage';
export const ASKED = 'asked';
/** Nothing of it changed any more when its first file was copied: a file of the same size is the same. */
export const SETTLED = 'settled';

export const API = '/api/2.0/mlflow';
/** Runs, models or files that are copied at once. */
export const AT_ONCE = 6;

export interface KeyValue {
  readonly key: string;
  readonly value: string;
}

export const tagOf = (tags: readonly KeyValue[] | undefined, key: string): string | undefined =>
  tags?.find((tag) => tag.key === key)?.value;

const OF_IMPORTS: ReadonlySet<string> = new Set([SOURCE_TAG, STATE_TAG, STAGE_TAG]);

/** Without what an import into the other server has left there. */
export const ownTags = (tags: readonly KeyValue[] = []): KeyValue[] =>
  tags.filter(({ key }) => !OF_IMPORTS.has(key));

/** Those that have no value here: what people have written here since an earlier import stays. */
export const missingTags = (here: readonly KeyValue[] | undefined, tags: readonly KeyValue[]): KeyValue[] =>
  tags.filter(({ key }) => !tagOf(here, key));

export interface CopiedRun {
  readonly runId: string;
  /** Value of its state tag. */
  readonly state: string | undefined;
}

/** One import: both servers, and which id of the one is which of the other. */
export interface ImportJob {
  readonly from: TrackerServer;
  readonly to: TrackerServer;
  readonly experiments: Map<string, string>;
  readonly runs: Map<string, CopiedRun>;
  readonly loggedModels: Map<string, string>;
  readonly counts: Record<
    'experiments' | 'runs' | 'loggedModels' | 'metrics' | 'files' | 'bytes' | 'models' | 'versions',
    number
  >;
  /** What cannot be copied, and why: it does not keep the rest from being copied. */
  readonly problems: string[];
}

export const newJob = (from: TrackerServer, to: TrackerServer): ImportJob => ({
  ...{ from, to, experiments: new Map(), runs: new Map(), loggedModels: new Map(), problems: [] },
  counts: {
    ...{ experiments: 0, runs: 0, loggedModels: 0, metrics: 0 },
    ...{ files: 0, bytes: 0, models: 0, versions: 0 },
  },
});

/**
 * What is refused of one thing does not keep the rest from being copied: it is listed at the end, and tried again by the next
 * import.
 * @param what for people
 * @returns null for what is refused
 */
export async function attempt<T>(
  { problems }: Pick<ImportJob, 'problems'>,
  what: string,
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    const isOfThis = [TrackerRefusal, TrackerForbidden, TrackerFailure].some((kind) => error instanceof kind);
    if (!isOfThis) throw error;
    problems.push(`${what}: ${error instanceof TrackerForbidden ? error.said : (error as Error).message}`);
    return null;
  }
}

/** Each of these, whatever is refused of the others. @returns whether all were done */
export async function attemptAll(
  job: Pick<ImportJob, 'problems'>,
  what: string,
  steps: ReadonlyArray<() => Promise<unknown>>,
): Promise<boolean> {
  let isWhole = true;
  for (const step of steps) isWhole = (await attempt(job, what, step)) !== null && isWhole;
  return isWhole;
}

export function* chunks<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
