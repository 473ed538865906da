import type { ExportEnd } from './export-work.types.js';
import type { ExportedFormat } from './export.types.js';

const text = (value: unknown): string | null => (typeof value === 'string' ? value.slice(0, 1000) : null);
const figure = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/**
 * What a program reported about the wanted formats, in their order. It is not trusted to be whole.
 * @param report content of `export.json`; null when there is none
 */
export function readExportReport(report: unknown, wanted: readonly string[]): ExportedFormat[] {
  const given = (report as { formats?: unknown } | null)?.formats;
  const entries = Array.isArray(given) ? (given as unknown[]) : [];
  return wanted.map((format) => {
    const entry = entries.find((one) => (one as { format?: unknown } | null)?.format === format);
    const found = (entry ?? {}) as Readonly<Record<string, unknown>>;
    const available = found.available === true && text(found.file) !== null;
    return {
      format,
      available,
      reason: available ? null : (text(found.reason) ?? 'Its program reported nothing about it.'),
      file: available ? text(found.file) : null,
      sha256: available ? text(found.sha256) : null,
      maxDifference: figure(found.max_difference),
      tolerance: figure(found.tolerance),
      comparedImages: figure(found.compared_images),
    };
  });
}

/** An export that made nothing has failed, whatever its program says. */
export function endOfReport(results: readonly ExportedFormat[]): ExportEnd {
  const made = results.filter(({ available }) => available).map(({ format }) => format);
  const missing = results.filter(({ available }) => !available);
  const reasons = missing.map(({ format, reason }) => `${format}: ${reason}`).join('; ');
  if (made.length === 0) return { status: 'FAILED', message: `No format could be written. ${reasons}` };
  const message = `Wrote ${made.join(', ')}.${missing.length === 0 ? '' : ` Not written: ${reasons}`}`;
  return { status: 'SUCCEEDED', message };
}
