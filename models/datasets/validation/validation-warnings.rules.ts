import { FORMAT_NOTES } from '../../../formats/annotations/unread-formats.js';
import type { Finding, CountedFiles } from '../catalog/dataset.types.js';
import type { ReportFacts } from './validation-report.types.js';

/** A class with fewer images cannot be split into parts. */
const LEAST_IMAGES = 2;

/** What keeps no dataset from being frozen and people should know: classes, tables, names, formats, copies. */
export function warningsOf({
  images,
  classes,
  tables: { empty, broken },
  misnamed,
  formats,
}: ReportFacts): Finding[] {
  const warnings: Finding[] = [];
  const warn = (code: string, message: string) => warnings.push({ code, message, file_id: null });
  if (classes.total > 0 && images.withoutClass > 0)
    warn('images_without_class', `${images.withoutClass} images lie in no folder, so they have no class.`);
  // When there are too many classes, only the largest are kept.
  const single =
    classes.total > classes.shown.length
      ? []
      : classes.shown.filter(({ count }) => count < LEAST_IMAGES).map(({ name }) => name);
  if (single.length > 0)
    warn(
      'small_classes',
      `${single.length} classes have a single image: ${single.slice(0, 10).join(', ')}${single.length > 10 ? ', ...' : ''}.`,
    );
  const shown = ({ count, examples }: CountedFiles) =>
    `${examples.join(', ')}${count > examples.length ? ', ...' : ''}.`;
  const list = (found: CountedFiles) => `(${found.count}): ${shown(found)}`;
  if (empty.count > 0) warn('empty_tables', `Tables hold no row ${list(empty)}`);
  if (broken.count > 0) warn('broken_tables', `Tables have broken rows ${list(broken)}`);
  if (misnamed.count > 0)
    warn('misnamed_files', `Files are not what their names say, and are not used ${list(misnamed)}`);
  for (const found of formats) {
    const note = FORMAT_NOTES.find(({ reason }) => reason === found.reason);
    if (note) warn(note.code, `${found.count} ${note.words}: ${shown(found)}`);
  }
  if (images.duplicates > 0)
    warn('duplicate_images', `${images.duplicates} images have the same bytes as another one.`);
  return warnings;
}
