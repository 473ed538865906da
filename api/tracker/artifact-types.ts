/** By the end of the name: nothing that a browser could run is ever named by its type. */
const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  json: 'application/json',
  txt: 'text/plain; charset=utf-8',
  log: 'text/plain; charset=utf-8',
  md: 'text/plain; charset=utf-8',
  yaml: 'text/plain; charset=utf-8',
  yml: 'text/plain; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  zip: 'application/zip',
};

const IN_PLACE = /^(image\/(png|jpeg|gif|webp)|application\/json|text\/plain|text\/csv)\b/;

export const artifactType = (path: string): string =>
  TYPES[/\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''] ?? 'application/octet-stream';

export const isShownInPlace = (mediaType: string): boolean => IN_PLACE.test(mediaType);
