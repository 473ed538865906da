import type { ClassCount, ValidationReport } from '../catalog/dataset.types.js';
import type { ReportFacts } from './validation-report.types.js';
import { warningsOf } from './validation-warnings.rules.js';

/** The report people read: errors keep a dataset from being frozen, warnings do not. */
export function buildReport(facts: ReportFacts): ValidationReport {
  const errors = [...facts.findings];
  if (facts.invalid > facts.findings.length)
    errors.push({
      code: 'more_invalid_files',
      message: `${facts.invalid - facts.findings.length} more files are not valid; list them by status=invalid.`,
      file_id: null,
    });
  errors.push(...facts.more.errors);
  const { images, withoutClass, duplicates, minWidth, maxWidth, minHeight, maxHeight } = facts.images;
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
      images_without_class: withoutClass,
      duplicate_images: duplicates,
      class_count: facts.classes.total,
      classes: shownClasses(facts.classes.shown),
      pixels: { min_width: minWidth, max_width: maxWidth, min_height: minHeight, max_height: maxHeight },
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
