import { type FieldError, fieldError } from '../../../core/errors/app-error.js';
import type { FrameworkEntry } from '../catalog/catalog.types.js';
import { checkExport } from '../config/check-experiment-config.js';
import { readShape, type Shape } from '../config/config-shape.rules.js';
import { SHAPE } from '../config/experiment-config-shape.js';
import type { ExperimentConfig } from '../experiment.types.js';

/**
 * Checks what is asked of a trained model. To ask is to want it: `enabled` says nothing here.
 * @param framework that trained it; null when this installation does not know it any more
 */
export function checkExportRequest(
  given: unknown,
  framework: FrameworkEntry | null,
): { readonly formats: readonly string[]; readonly errors: readonly FieldError[] } {
  const errors: FieldError[] = [];
  const { fields } = SHAPE.export as { readonly fields: Shape };
  const read = readShape(given ?? {}, fields, ['body'], errors) as unknown as ExperimentConfig['export'];
  if (errors.length === 0 && framework === null)
    errors.push(
      fieldError(['body'], 'this installation does not know its framework any more', 'not_available'),
    );
  if (errors.length > 0 || framework === null) return { formats: [], errors };
  const found: FieldError[] = [];
  checkExport({ export: { ...read, enabled: true } }, framework, found);
  const formats = read.formats.length > 0 ? read.formats : framework.exports.slice(0, 1);
  return {
    formats,
    errors: found.map(({ loc, msg, type }) => fieldError(['body', ...loc.slice(2)], msg, type)),
  };
}
