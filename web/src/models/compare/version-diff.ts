/** One line of a comparison: what both sides have under one name. */
export interface DiffRow<T> {
  readonly name: string;
  readonly from: T | null;
  readonly to: T | null;
  readonly isSame: boolean;
}

interface Pair<T> {
  readonly name: string;
  readonly from: T | null;
  readonly to: T | null;
}

/** Lines that differ first, each part by name; the others only when they are asked for. */
export function diffRows<T extends string | number>(
  pairs: readonly Pair<T>[],
  onlyDifferences: boolean,
): DiffRow<T>[] {
  const rows = pairs.map(({ name, from, to }) => ({ name, from, to, isSame: from === to }));
  const kept = onlyDifferences ? rows.filter((row) => !row.isSame) : rows;
  return kept.sort((a, b) => Number(a.isSame) - Number(b.isSame) || a.name.localeCompare(b.name, 'en'));
}

/** Names of metrics of which less is better, as the checks of a promotion have it. */
const LESS_IS_BETTER = /(^|[_/])(latency|error|errors|loss|rmse|mae|mse)([_/]|$)|_(ms|s)$/;

/** Whether the change of a metric is for the better; null where there is none, or one side has no value. */
export function isBetter(name: string, from: number | null, to: number | null): boolean | null {
  if (from === null || to === null || from === to) return null;
  return LESS_IS_BETTER.test(name) ? to < from : to > from;
}

/** One side of a signature as text that can be compared: column names with types, or whatever stands there. */
export function signatureText(side: unknown): string {
  if (side === null || side === undefined) return '–';
  if (!Array.isArray(side)) return JSON.stringify(side);
  return side.map(columnText).join(', ');
}

function columnText(column: unknown): string {
  if (typeof column !== 'object' || column === null) return String(column);
  const { name, type, ...rest } = column as Record<string, unknown>;
  const kind = typeof type === 'string' ? type : JSON.stringify(type ?? rest);
  return typeof name === 'string' ? `${name}: ${kind}` : kind;
}

/**
 * Versions that are offered: those that are compared, those that were read, and of the older ones that which is typed.
 * @param total of versions, of which the newest were read
 */
export function offeredVersions(
  compared: readonly number[],
  read: readonly number[],
  total: number,
  typed: string,
): number[] {
  const number = /^[1-9]\d{0,8}$/.test(typed.trim()) ? Number(typed) : null;
  const isOlder = number !== null && total > read.length && read.every((version) => number < version);
  return [...new Set([...compared, ...read, ...(isOlder ? [number] : [])])].sort((a, b) => b - a);
}

/** The other version that people most likely want to see beside this one: that in Production, else the one before. */
export function baselineFor(
  version: number,
  production: number | null,
  versions: readonly number[],
): number | null {
  if (production !== null && production !== version) return production;
  const older = versions.filter((other) => other < version);
  if (older.length > 0) return Math.max(...older);
  return versions.find((other) => other !== version) ?? null;
}
