/** What a call of the benchmarks asks for. */
export interface RunOptions {
  /** All without a name. */
  readonly names: readonly string[];
  /** Benchmarks that fail where they miss a goal; the goals of the others are reported only. */
  readonly strict: readonly string[];
}

const STRICT = '--strict=';

/** @returns null where an option or a benchmark is not known */
export function parseRunOptions(given: readonly string[], known: readonly string[]): RunOptions | null {
  const names = given.filter((argument) => argument !== '--short' && !argument.startsWith(STRICT));
  const strict = given
    .filter((argument) => argument.startsWith(STRICT))
    .flatMap((argument) => argument.slice(STRICT.length).split(','));
  return [...names, ...strict].every((name) => known.includes(name)) ? { names, strict } : null;
}

/** What came of the benchmarks: names of those that failed, and of those that missed a goal. */
export interface RunEnd {
  readonly failed: readonly string[];
  readonly missed: readonly string[];
}

export const exitCodeOf = ({ failed, missed }: RunEnd, strict: readonly string[]): number =>
  failed.length > 0 || missed.some((name) => strict.includes(name)) ? 1 : 0;
