import { conflict } from '../../../core/errors/app-error.js';
import { stateMachine } from '../../../core/states/state-machine.js';
import type { RemoteFile } from '../../../core/ports/remote-source.js';
import { checkFilePath } from '../../datasets/files/file-path.rules.js';
import type { EntryState, SyncFinding, SyncStatus } from './dataset-sync.types.js';

export const SYNC_STATES = stateMachine<SyncStatus>('A sync', {
  queued: ['running', 'failed', 'canceled'],
  running: ['done', 'failed', 'canceled'],
  done: [],
  failed: [],
  canceled: [],
});

/** Statements over many entries write them (`sync-copy.sql.ts`); they take the states that they lead from of this table. */
export const ENTRY_STATES = stateMachine<EntryState>('An entry of a sync', {
  planned: ['copied', 'failed', 'later'],
  copying: ['copied', 'failed', 'later'],
  later: ['copying'],
  copied: [],
  failed: [],
});

/** Queued or running: it holds its dataset. */
export const isActive = (status: SyncStatus): boolean => !SYNC_STATES.isFinal(status);

/** @throws AppError conflict where no such step exists */
export function assertTransition(from: SyncStatus, to: SyncStatus): void {
  if (!SYNC_STATES.may(from, to))
    throw conflict(`The sync is ${from} and cannot become ${to}.`, { status: from });
}

/** @throws AppError conflict when it has ended */
export function assertCancelable(status: SyncStatus): void {
  if (!isActive(status)) throw conflict(`The sync has ended already (${status}).`, { status });
}

/**
 * To be asked before each step of its work: the cancel of the workflow may come late.
 * @throws AppError conflict when somebody asked for its end, which so comes as a cancel
 */
export function assertWanted({ cancelAskedAt }: { readonly cancelAskedAt?: Date | null }): void {
  if (cancelAskedAt) throw conflict('The sync was canceled.');
}

/** @throws AppError conflict while it is active */
export function assertDeletable(status: SyncStatus): void {
  if (isActive(status))
    throw conflict('The sync is still active; cancel it or wait for its end, then delete it.', { status });
}

/** No object of the store can be larger. */
export const MAX_FILE_BYTES = 5 * 1024 ** 4;
const SHOWN_CHARACTERS = 200;

export interface PlannedFile extends RemoteFile {
  /** What the file is called here; `path` is what the source calls it. */
  readonly localPath: string;
}

/** Whether a line of the manifest can become a file of a dataset; otherwise what is wrong with it. */
export function checkManifestFile(
  file: RemoteFile,
):
  | { readonly file: PlannedFile; readonly problem: null }
  | { readonly file: null; readonly problem: SyncFinding } {
  const refuse = (code: string, message: string) => ({
    file: null,
    problem: { path: shownPath(file.path), code, message },
  });
  const { path, problem } = checkFilePath(file.path);
  if (path === null) return refuse('bad_path', `The source names a file that cannot be taken: ${problem}.`);
  // A source is asked by the path as it writes it, and no address can hold these parts.
  if (file.path.split('/').some((part) => part === '' || part === '.'))
    return refuse(
      'bad_path',
      'The source names a file that cannot be taken: a part of the path is empty or ".".',
    );
  return { file: { ...file, localPath: path }, problem: null };
}

export const TOO_LARGE = {
  code: 'too_large',
  message: `The file is larger than ${MAX_FILE_BYTES} bytes.`,
} as const;
export const PATH_CONFLICT = {
  code: 'path_conflict',
  message: 'The path would be a file and a folder at once.',
} as const;

/** A remote name as it may be shown: without control characters, and not endless. */
export const shownPath = (path: string): string =>
  path.slice(0, SHOWN_CHARACTERS).replace(/[\p{Cc}\p{Cf}\p{Surrogate}]/gu, '�');

export const duplicatePath = (path: string): SyncFinding => ({
  path: shownPath(path),
  code: 'duplicate_path',
  message: 'The manifest names this path twice; the first one counts.',
});

/**
 * A copy of a file ends with what the manifest promised, or not at all.
 * @returns null when it is as promised
 */
export function compareCopy(
  promised: { readonly sizeBytes: number; readonly sha256: string },
  found: { readonly sizeBytes: number; readonly sha256: string },
): { code: string; message: string } | null {
  if (found.sizeBytes !== promised.sizeBytes) return wrongSize(promised.sizeBytes, found.sizeBytes);
  if (found.sha256 !== promised.sha256)
    return {
      code: 'wrong_sha256',
      message: 'The bytes that came do not hash to the sha256 of the manifest.',
    };
  return null;
}

export const wrongSize = (promised: number, found: number): { code: string; message: string } => ({
  code: 'wrong_size',
  message:
    found > promised
      ? `More bytes came than the ${promised} of the manifest.`
      : `${found} bytes came where the manifest promises ${promised}.`,
});

/** What a manifest comes to, compared with a dataset. */
export interface ManifestYield {
  /** Entries that can be copied, are here already, or for which what is here stays on purpose. */
  readonly usable: number;
  /** Entries that cannot become files. */
  readonly refused: number;
  /** Files here that the manifest does not name. */
  readonly removed: number;
}

/**
 * Why a sync leaves the dataset as it is: a manifest of which nothing can be taken says nothing about what
 * should go, and an empty one is far more often a mistake of the source than a wish.
 * @returns null when there is something to go by
 */
export function refusalOf({ usable, refused, removed }: ManifestYield): string | null {
  if (usable > 0) return null;
  if (refused > 0)
    return `${refused === 1 ? 'The one entry of the manifest cannot' : `None of the ${refused} entries of the manifest can`} be taken.`;
  return removed > 0
    ? `The manifest of the source is empty; nothing was changed. Delete the ${removed} files here if that is what you want.`
    : null;
}

const times = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** One line on how it went. @param kept files here that stay although the source has others */
export function outcomeMessage({
  copied,
  removed,
  failed,
  kept,
}: {
  readonly copied: number;
  readonly removed: number;
  readonly failed: number;
  readonly kept: number;
}): string {
  if (copied + removed + failed + kept === 0) return 'Nothing to do: the dataset is as the source has it.';
  const parts = [
    times(copied, 'file') + ' copied',
    ...(removed > 0 ? [`${removed} removed`] : []),
    ...(failed > 0 ? [`${failed} could not be taken`] : []),
    ...(kept > 0 ? [`${kept} kept as ${kept === 1 ? 'it is' : 'they are'} here`] : []),
  ];
  return `${parts.join(', ')}.`;
}
