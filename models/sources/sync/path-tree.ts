import { pathHash, pathHashes } from './path-hashes.js';

/** The paths of a manifest as they come, and those among them that would be a file and a folder at once. */
export class PathTree {
  private readonly files = new Set<number>();
  private readonly folders = new Set<number>();
  private readonly both = new Set<number>();

  /** @returns the folders that it is the first to lie in; null when the path was there already */
  add(path: string): string[] | null {
    const hashes = pathHashes(path);
    const file = hashes.pop() as number;
    if (this.files.has(file)) return null;
    this.files.add(file);
    if (this.folders.has(file)) this.both.add(file);
    const fresh: string[] = [];
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = hashes.pop() as number;
      // One that is known brought the folders above it.
      if (this.folders.has(folder)) break;
      this.folders.add(folder);
      if (this.files.has(folder)) this.both.add(folder);
      fresh.push(path.slice(0, end));
    }
    return fresh;
  }

  has(path: string): boolean {
    return this.files.has(pathHash(path));
  }

  /** Folders that are all different. */
  get folderCount(): number {
    return this.folders.size;
  }

  get hasClash(): boolean {
    return this.both.size > 0;
  }

  /**
   * Whether the path, or a folder it lies in, is a file and a folder at once. Final once all paths were
   * added.
   */
  isClash(path: string): boolean {
    return pathHashes(path).some((hash) => this.both.has(hash));
  }
}
