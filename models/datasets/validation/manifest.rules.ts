import type { ManifestFile } from './manifest.types.js';

type Identity = Pick<ManifestFile, 'path' | 'sha256' | 'size'>;

/**
 * What the digest of a dataset is made of: one line a file, sorted by path in byte order of UTF-8, each ending in a
 * newline. Paths hold no control characters, so lines cannot be forged.
 */
export const digestLine = ({ path, sha256, size }: Identity): string => `${sha256} ${size} ${path}\n`;

/** One file as it stands in the manifest: fixed order of keys, absent values left out. */
export function manifestLine(file: ManifestFile): string {
  const { path, sha256, size, key, kind, label, split, width, height, annotation, entries } = file;
  const annotated = { annotation, entries };
  return JSON.stringify({ path, sha256, size, key, kind, label, split, width, height, ...annotated });
}

export const manifestHead = (digest: string): string => `{"digest":"${digest}","files":[\n`;
export const MANIFEST_TAIL = '\n]}\n';
