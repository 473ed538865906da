import type { ArtifactEntry, RunArtifact } from './run.types.js';

/** One level below a folder ('' for the root): folders first, each with the sum of its files. @param files by path */
export function artifactLevel(
  files: ReadonlyArray<Pick<RunArtifact, 'path' | 'sizeBytes'>>,
  folder: string,
): ArtifactEntry[] {
  const start = folder === '' ? '' : `${folder}/`;
  const entries = new Map<string, ArtifactEntry>();
  for (const { path, sizeBytes } of files) {
    if (!path.startsWith(start)) continue;
    const slash = path.indexOf('/', start.length);
    const name = slash < 0 ? path : path.slice(0, slash);
    const known = entries.get(name)?.sizeBytes ?? 0;
    entries.set(name, { path: name, isDir: slash >= 0, sizeBytes: known + sizeBytes });
  }
  const all = [...entries.values()];
  return [...all.filter((entry) => entry.isDir), ...all.filter((entry) => !entry.isDir)];
}
