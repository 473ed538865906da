import type { TabSearch } from '../../shared/tabs';
import type { FilesQuery } from '../queries';

export type Split = 'train' | 'val' | 'test';

const SPLITS: ReadonlyMap<string, Split> = new Map([
  ['train', 'train'],
  ['training', 'train'],
  ['val', 'val'],
  ['valid', 'val'],
  ['validation', 'val'],
  ['test', 'test'],
  ['testing', 'test'],
]);

/** The part of a dataset that the folders of a path name; the first one counts. `val2017` is one too. */
export function splitOf(path: string): Split | null {
  for (const folder of path.split('/').slice(0, -1)) {
    const split = SPLITS.get(folder.toLowerCase().replace(/[-_]?\d{4}$/, ''));
    if (split !== undefined) return split;
  }
  return null;
}

/** What the address says of the pictures to be shown. */
export interface GalleryFilter {
  readonly q: string | null;
  readonly class: string | null;
  readonly split: Split | 'none' | null;
  readonly status: 'valid' | 'invalid' | 'pending' | null;
  readonly finding: string | null;
}

const wordOf = (value: string | number | undefined): string | null =>
  value === undefined || value === '' ? null : String(value);

export const filterOf = (search: TabSearch): GalleryFilter => ({
  q: wordOf(search.q),
  class: wordOf(search.class),
  split: oneOf(search.split, ['train', 'val', 'test', 'none']),
  status: oneOf(search.status, ['valid', 'invalid', 'pending']),
  finding: wordOf(search.finding),
});

function oneOf<T extends string>(value: string | number | undefined, known: readonly T[]): T | null {
  return known.find((one) => one === value) ?? null;
}

type ImageFinding = NonNullable<FilesQuery['finding']>;
/** Findings that the server knows the pictures of; of others the report has examples. */
const LISTED: Readonly<Record<ImageFinding, true>> = {
  'annotations.class_out_of_range': true,
  'annotations.boxes_outside_image': true,
  'annotations.boxes_without_area': true,
  'annotations.image_size_mismatch': true,
  'annotations.repeated_objects': true,
  'annotations.images_without_annotation': true,
  'annotations.case_mismatch': true,
  'annotations.extension_mismatch': true,
  'duplicates.exact': true,
  'leakage.exact': true,
  'leakage.listed': true,
};
export const isListed = (finding: string): finding is ImageFinding => finding in LISTED;

/** What the server filters by. @param isStill false where files come or came while somebody looked */
export const serverQuery = (filter: GalleryFilter, isStill = true): FilesQuery => ({
  kind: 'image',
  // While files come, the new ones stand at the end, so that nothing moves.
  sort: isStill ? 'path' : 'created_at',
  ...(filter.status === null ? {} : { status: filter.status }),
  ...(filter.q === null ? {} : { q: filter.q }),
  ...(filter.class === null ? {} : { class: filter.class }),
  ...(filter.split === null ? {} : { split: filter.split }),
  ...(filter.finding !== null && isListed(filter.finding) ? { finding: filter.finding } : {}),
});

/** Above this the server's pages reach everything only where nothing is filtered. */
const MANY = 10_000;
const FEW = 0.01;

/**
 * A large dataset that holds next to nothing but pictures is listed whole, so that the scroll bar may jump anywhere: its few
 * other files stand among the pictures.
 */
export const isListedWhole = (images: number, files: number): boolean =>
  images > MANY && files - images <= files * FEW;
