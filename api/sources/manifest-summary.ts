import { AppError } from '../../core/errors/app-error.js';
import type { RemoteFile, SourceFailureDetail } from '../../core/ports/remote-source.js';
import {
  checkManifestFile,
  duplicatePath,
  MAX_FILE_BYTES,
  PATH_CONFLICT,
  type PlannedFile,
  shownPath,
  TOO_LARGE,
} from '../../models/sources/sync/dataset-sync.rules.js';
import type { SyncFinding } from '../../models/sources/sync/dataset-sync.types.js';
import { PathTree } from '../../models/sources/sync/path-tree.js';
import type { PreviewedFile } from '../../models/sources/sync/sync-preview.sql.js';
import type { SyncPreview, SyncPreviewBuilder } from '../../models/sources/sync/sync-preview.js';

/** An entry that cannot become a file, with its place in the manifest (from 0). */
export interface ManifestProblem extends SyncFinding {
  readonly entry: number;
}

export interface RemoteManifest {
  readonly fileCount: number;
  readonly sizeBytes: number;
  /** The first 1,000, in the order of the source. */
  readonly files: readonly PlannedFile[];
  readonly problemCount: number;
  /** The first 50. */
  readonly problems: readonly ManifestProblem[];
  /** Null when no dataset was named. */
  readonly preview: SyncPreview | null;
}

const MAX_LISTED_FILES = 1000;
const MAX_LISTED_PROBLEMS = 50;
/** Files that are compared by one statement. */
const SLICE = 2000;
/** And folders that are looked up by one statement; one file has 256 at most. */
const SLICE_FOLDERS = 10_000;
/** Folders that are remembered: a file has a few, unless somebody means no good. */
const MAX_FOLDERS = 300_000;

/** What a manifest holds, found out in one reading of it. */
export class ManifestSummary {
  readonly paths = new PathTree();
  private readonly files: PlannedFile[] = [];
  private readonly problems: ManifestProblem[] = [];
  private fileCount = 0;
  private sizeBytes = 0;
  private problemCount = 0;
  private slice: PreviewedFile[] = [];
  private folders: string[] = [];

  /** @param known the paths of an earlier reading, with which conflicts are found; null in the first */
  constructor(
    private readonly builder: SyncPreviewBuilder | null,
    private readonly known: PathTree | null,
  ) {}

  /** @throws AppError bad_gateway when the files lie in too many folders */
  async read(manifest: AsyncIterable<RemoteFile>): Promise<RemoteManifest> {
    let entry = 0;
    for await (const line of manifest) {
      this.take(line, entry);
      entry += 1;
      if (this.slice.length >= SLICE || this.folders.length >= SLICE_FOLDERS) await this.compare();
    }
    await this.compare();
    const { fileCount, sizeBytes, files, problemCount, problems, builder, paths } = this;
    problems.sort((a, b) => a.entry - b.entry);
    return {
      fileCount,
      sizeBytes,
      files,
      problemCount,
      problems,
      preview: builder && (await builder.finish(paths, problemCount)),
    };
  }

  private take(line: RemoteFile, entry: number): void {
    const { file, problem } = checkManifestFile(line);
    if (problem) return this.addProblem({ entry, ...problem });
    const folders = this.paths.add(file.localPath);
    if (folders === null) return this.addProblem({ entry, ...duplicatePath(line.path) });
    if (this.paths.folderCount > MAX_FOLDERS) throw tooManyFolders();
    const isClash = this.known?.isClash(file.localPath) === true;
    if (this.builder) {
      this.slice.push({ file, entry, isClash });
      this.folders.push(...folders);
    }
    if (isClash) return this.addProblem({ entry, path: shownPath(file.path), ...PATH_CONFLICT });
    if (file.sizeBytes > MAX_FILE_BYTES)
      return this.addProblem({ entry, path: shownPath(file.path), ...TOO_LARGE });
    this.fileCount += 1;
    this.sizeBytes += file.sizeBytes;
    if (this.files.length < MAX_LISTED_FILES) this.files.push(file);
  }

  private async compare(): Promise<void> {
    const { slice, folders } = this;
    this.slice = [];
    this.folders = [];
    if (!this.builder || slice.length === 0) return;
    const { count, first } = await this.builder.compare(slice, folders);
    this.problemCount += count - first.length;
    for (const { file, entry } of first)
      this.addProblem({ entry, path: shownPath(file.path), ...PATH_CONFLICT });
  }

  private addProblem(problem: ManifestProblem): void {
    this.problemCount += 1;
    if (this.problems.length < MAX_LISTED_PROBLEMS) this.problems.push(problem);
  }
}

function tooManyFolders(): AppError {
  const detail: SourceFailureDetail = {
    reason: 'limit',
    next_step: 'Start a sync: it takes manifests with any number of folders.',
  };
  return new AppError(
    'bad_gateway',
    `The files of the manifest lie in more than ${MAX_FOLDERS} folders, which is more than is looked through for a preview.`,
    detail,
  );
}
