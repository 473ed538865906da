import { PathSet } from './path-set.js';

/** The paths of a manifest as they come, and those among them that would be a file and a folder at once. */
export class PathTree {
  private readonly files = new PathSet();
  private readonly folders = new PathSet();
  private readonly both = new PathSet();

  /** @returns false when the path was there already */
  add(path: string): boolean {
    if (!this.files.add(path)) return false;
    if (this.folders.has(path)) this.both.add(path);
    for (const folder of foldersOf(path)) {
      // One that is known brought the folders above it.
      if (!this.folders.add(folder)) break;
      if (this.files.has(folder)) this.both.add(folder);
    }
    return true;
  }

  has(path: string): boolean {
    return this.files.has(path);
  }

  get hasClash(): boolean {
    return this.both.size > 0;
  }

  /** Whether the path, or a folder it lies in, is a file and a folder at once. Final once all paths were added. */
  isClash(path: string): boolean {
    if (this.both.has(path)) return true;
    for (const folder of foldersOf(path)) if (this.both.has(folder)) return true;
    return false;
  }
}

/** `a/b` and `a` for `a/b/c`. */
function* foldersOf(path: string): Iterable<string> {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) yield path.slice(0, end);
}
