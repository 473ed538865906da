import { FORMAT_NOTES } from './annotations/unread-formats.rules.js';
import type { ClassCount, CountedClasses, Finding, Noted, ValidationReport } from './dataset.types.js';

export interface ReportFacts {
  readonly checkedAt: string;
  readonly files: number;
  readonly bytes: number;
  readonly byKind: Readonly<Record<string, number>>;
  readonly invalid: number;
  /** The first of the invalid files. */
  readonly findings: readonly Finding[];
  readonly classes: CountedClasses;
  readonly images: {
    readonly images: number;
    readonly without_class: number;
    readonly duplicates: number;
    readonly min_width: number | null;
    readonly max_width: number | null;
    readonly min_height: number | null;
    readonly max_height: number | null;
  };
  readonly tables: { readonly empty: Noted; readonly broken: Noted };
  /** Files that are not what their names say, and so are not used. */
  readonly misnamed: Noted;
  /** Files by what their reading noted of their format, one of FORMAT_NOTES. */
  readonly formats: ReadonlyArray<Noted & { readonly reason: string }>;
  /** What the annotations and likenesses of images add. */
  readonly more: { readonly errors: readonly Finding[]; readonly warnings: readonly Finding[]; readonly stats: Readonly<Record<string, unknown>> };
}

/** The report people read: errors keep a dataset from being frozen, warnings do not. */
export function buildReport(facts: ReportFacts): ValidationReport {
  const errors = [...facts.findings];
  if (facts.invalid > facts.findings.length)
    errors.push({ code: 'more_invalid_files', message: `${facts.invalid - facts.findings.length} more files are not valid; list them by status=invalid.`, file_id: null });
  errors.push(...facts.more.errors);
  const { images, without_class, duplicates, ...pixels } = facts.images;
  return {
    checked_at: facts.checkedAt,
    errors,
    warnings: [...warningsOf(facts), ...facts.more.warnings],
    stats: {
      files: facts.files,
      size_bytes: facts.bytes,
      invalid: facts.invalid,
      by_kind: facts.byKind,
      images,
      images_without_class: without_class,
      duplicate_images: duplicates,
      class_count: facts.classes.total,
      classes: shownClasses(facts.classes.shown),
      pixels,
      ...facts.more.stats,
    },
  };
}

/** Any folder is a class: a report shows the largest, and those of one size by name. */
const MAX_CLASSES_SHOWN = 1000;

const shownClasses = (classes: readonly ClassCount[]): Record<string, number> =>
  Object.fromEntries(
    [...classes]
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
      .slice(0, MAX_CLASSES_SHOWN)
      .map(({ name, count }) => [name, count]),
  );

function warningsOf({ images, classes, tables: { empty, broken }, misnamed, formats }: ReportFacts): Finding[] {
  const warnings: Finding[] = [];
  const warn = (code: string, message: string) => warnings.push({ code, message, file_id: null });
  if (classes.total > 0 && images.without_class > 0) warn('images_without_class', `${images.without_class} images lie in no folder, so they have no class.`);
  // Of too many classes the largest are known alone.
  const single = classes.total > classes.shown.length ? [] : classes.shown.filter(({ count }) => count < 2).map(({ name }) => name);
  if (single.length > 0) warn('small_classes', `${single.length} classes have a single image: ${single.slice(0, 10).join(', ')}${single.length > 10 ? ', ...' : ''}.`);
  const shown = ({ count, examples }: Noted) => `${examples.join(', ')}${count > examples.length ? ', ...' : ''}.`;
  const list = (noted: Noted) => `(${noted.count}): ${shown(noted)}`;
  if (empty.count > 0) warn('empty_tables', `Tables hold no row ${list(empty)}`);
  if (broken.count > 0) warn('broken_tables', `Tables have broken rows ${list(broken)}`);
  if (misnamed.count > 0) warn('misnamed_files', `Files are not what their names say, and are not used ${list(misnamed)}`);
  for (const found of formats) {
    const note = FORMAT_NOTES.find(({ reason }) => reason === found.reason);
    if (note) warn(note.code, `${found.count} ${note.words}: ${shown(found)}`);
  }
  if (images.duplicates > 0) warn('duplicate_images', `${images.duplicates} images have the same bytes as another one.`);
  return warnings;
}
