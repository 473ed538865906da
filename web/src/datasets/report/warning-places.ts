import { isListed } from '../gallery/gallery-filter';
import type { Finding } from './findings';

/** Warnings whose pictures are those of findings of other names; the first that the report counts is the one to show. */
const FINDINGS: Readonly<Record<string, readonly string[]>> = {
  duplicate_images: ['duplicates.exact'],
  contradicting_labels: ['duplicates.exact'],
  near_duplicate_images: ['duplicates.near'],
  split_leakage: ['leakage.exact', 'leakage.listed', 'leakage.near'],
};

/** Where the gallery does not help: files of a kind, or the list of classes. */
const OTHER_TABS: Readonly<Record<string, Place>> = {
  file_invalid: { tab: 'files', status: 'invalid' },
  more_invalid_files: { tab: 'files', status: 'invalid' },
  empty_tables: { tab: 'files', kind: 'tabular' },
  broken_tables: { tab: 'files', kind: 'tabular' },
  misnamed_files: { tab: 'files', kind: 'other' },
  panoptic_masks_not_read: { tab: 'files', kind: 'annotation' },
  polygons_left_out: { tab: 'files', kind: 'annotation' },
  small_classes: { tab: 'classes' },
  too_many_classes: { tab: 'classes' },
};

/** What the address of the dataset's page gets. */
type Place = Readonly<Record<string, string | undefined>>;

/** Whether the gallery has pictures for a finding: the server knows them, or its examples name some. */
export const hasPictures = ({ id, examples }: Finding): boolean =>
  isListed(id) || examples.some(({ paths }) => paths.length > 0);

export const placeOfFinding = (finding: string): Place => ({
  tab: undefined,
  finding,
  class: undefined,
  split: undefined,
});

/** Where a message of the report leads to; null: nothing lists what it is about. */
export function placeOfMessage(code: string, findings: readonly Finding[]): Place | null {
  const names = FINDINGS[code] ?? [`annotations.${code}`];
  const named = names.flatMap((name) => findings.filter(({ id }) => id === name)).find(hasPictures);
  return named === undefined ? (OTHER_TABS[code] ?? null) : placeOfFinding(named.id);
}
