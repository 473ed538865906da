export interface HealthPart<S extends string> {
  readonly status: S;
  readonly count: number;
}

/** Statuses that there are devices of, in the order that is given. */
export const partsOf = <S extends string>(
  counts: Readonly<Record<S, number>>,
  order: readonly S[],
): HealthPart<S>[] =>
  order.flatMap((status) => (counts[status] > 0 ? [{ status, count: counts[status] }] : []));

/** The bar in words. */
export const healthText = <S extends string>(
  parts: ReadonlyArray<HealthPart<S>>,
  wordOf: (count: number, status: S) => string,
  none: string,
): string => (parts.length === 0 ? none : parts.map(({ status, count }) => wordOf(count, status)).join(', '));
