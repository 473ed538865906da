import { useSyncExternalStore } from 'react';
import { whenSomebodyIsHere } from '../../app/person-here';
import { type Command, type Failure, isOver, type Job, type Progress, type Report } from './upload-messages';
import { readMemory, writeMemory } from './upload-memory';
import { inSlices } from './slices';
import { TabLock } from './tab-lock';
import { type Dropped, totalSize } from './upload-plan';
import type { UploadOf } from './upload-summary';
import type { Chosen } from './use-selection';

/** An upload of this tab. It goes on while its person looks at other pages. */
export interface Upload {
  readonly progress: Progress;
  readonly failures: readonly Failure[];
}

interface Running {
  readonly tenant: string;
  readonly datasetId: string;
  readonly worker: Worker;
  readonly person: string;
  readonly lock: TabLock;
  shown: Upload;
}

const running = new Map<string, Running>();
const listeners = new Set<() => void>();
let all: readonly UploadOf[] = [];

function tell(): void {
  all = [...running.values()].map(({ tenant, datasetId, shown }) => ({
    tenant,
    datasetId,
    progress: shown.progress,
  }));
  for (const listener of listeners) listener();
}
const keyOf = (tenant: string, datasetId: string): string => `${tenant}/${datasetId}`;

/** The lock that a tab holds while it uploads into the dataset. */
export const lockName = (tenant: string, datasetId: string): string =>
  `visionops.upload.${keyOf(tenant, datasetId)}`;

type Wanted = Pick<Job, 'tenant' | 'person' | 'datasetId' | 'mayHold'>;
type Sent = Pick<Chosen, 'entries' | 'keepsRoot'>;

/** Starts a worker for what was dropped. */
export function startUpload(wanted: Wanted, { entries, keepsRoot }: Sent): void {
  const { tenant, datasetId, person, mayHold } = wanted;
  const key = keyOf(tenant, datasetId);
  end(key);
  const worker = new Worker(new URL('./upload.worker.ts', import.meta.url), { type: 'module' });
  const memory = readMemory(tenant, datasetId);
  let sessions = memory?.sessions ?? [];
  const one: Running = {
    tenant,
    datasetId,
    worker,
    person,
    lock: new TabLock(lockName(tenant, datasetId)),
    shown: { progress: atStart(entries), failures: [] },
  };
  running.set(key, one);
  one.lock.hold();
  const remember = () => {
    const { phase, files, filesDone, broken } = one.shown.progress;
    const isThrough = phase === 'done' || (phase === 'failed' && broken === null && sessions.length === 0);
    const memory = { files, filesDone, at: Date.now(), sessions, isRootKept: keepsRoot };
    writeMemory(tenant, datasetId, isThrough ? null : memory);
    if (isOver(phase)) one.lock.release();
    else one.lock.hold();
  };
  worker.onmessage = ({ data }: MessageEvent<Report>) => {
    if (data.kind === 'session')
      sessions = [...sessions.filter(({ path }) => path !== data.session.path), data.session];
    else if (data.kind === 'session-over') sessions = sessions.filter(({ path }) => path !== data.path);
    else one.shown = { progress: data.progress, failures: data.failures ?? one.shown.failures };
    remember();
    tell();
  };
  post(worker, {
    kind: 'start',
    job: {
      ...wanted,
      files: entries.length,
      bytes: totalSize(entries),
      sessions,
      mayHold: mayHold || memory !== null,
    },
  });
  void handOver(worker, entries);
  tell();
}

const HANDFUL = 8;

/** The browser looks at the disk for each file that goes to a worker: a few at a time. */
async function handOver(worker: Worker, entries: readonly Dropped[]): Promise<void> {
  const handfuls = Array.from({ length: Math.ceil(entries.length / HANDFUL) }, (_, at) =>
    entries.slice(at * HANDFUL, (at + 1) * HANDFUL),
  );
  await inSlices(handfuls, (handful) => post(worker, { kind: 'more', entries: handful }));
  post(worker, { kind: 'all' });
}

const post = (worker: Worker, command: Command): void => worker.postMessage(command);

export function controlUpload(tenant: string, datasetId: string, command: Command): void {
  const one = running.get(keyOf(tenant, datasetId));
  if (one) post(one.worker, command);
}

/** Takes a finished upload off the page. */
export const closeUpload = (tenant: string, datasetId: string): void => end(keyOf(tenant, datasetId));

function end(key: string): void {
  const one = running.get(key);
  one?.worker.terminate();
  one?.lock.release();
  running.delete(key);
  tell();
}

// Signed out, or signed in as somebody else: nothing is sent any more in the name of the one before.
whenSomebodyIsHere((here) => {
  for (const [key, { person }] of [...running]) if (person !== here) end(key);
});

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The upload into a dataset; null when this tab has none. */
export const useUpload = (tenant: string, datasetId: string): Upload | null =>
  useSyncExternalStore(subscribe, () => running.get(keyOf(tenant, datasetId))?.shown ?? null);

/** All uploads of this tab. */
export const useUploads = (): readonly UploadOf[] => useSyncExternalStore(subscribe, () => all);

/** The browser asks before a tab with an unfinished upload is closed. */
window.addEventListener('beforeunload', (event) => {
  if ([...running.values()].some(({ shown }) => !isOver(shown.progress.phase))) event.preventDefault();
});

const atStart = (entries: readonly Dropped[]): Progress => ({
  phase: 'listing',
  files: entries.length,
  filesDone: 0,
  skipped: 0,
  bytes: totalSize(entries),
  bytesDone: 0,
  failed: 0,
  broken: null,
  rate: null,
  secondsLeft: null,
  wait: null,
  now: [],
  unpacked: null,
});
