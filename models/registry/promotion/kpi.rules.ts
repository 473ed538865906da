/** Names of KPIs of which less is better: times, errors and losses. */
const LESS_IS_BETTER = /(^|[_/])(latency|error|errors|loss|rmse|mae|mse)([_/]|$)|_(ms|s)$/;

export const isLessBetter = (name: string): boolean => LESS_IS_BETTER.test(name);

/** The result of a smoke, as an endpoint keeps it: `kpis` by name, among what else it says. */
export function kpisOf(validation: Readonly<Record<string, unknown>> | null): Record<string, number> {
  const { kpis } = validation ?? {};
  if (typeof kpis !== 'object' || kpis === null) return {};
  return Object.fromEntries(
    Object.entries(kpis).filter((entry): entry is [string, number] => Number.isFinite(entry[1])),
  );
}

export interface MissedTarget {
  readonly name: string;
  readonly value: number;
  readonly target: number;
}

/** KPIs that are worse than their target. A target without a KPI, or a KPI without one, is not judged. */
export function missedTargets(
  kpis: Readonly<Record<string, number>>,
  targets: Readonly<Record<string, unknown>>,
): MissedTarget[] {
  return Object.entries(targets).flatMap(([name, target]) => {
    const value = kpis[name];
    if (value === undefined || typeof target !== 'number') return [];
    return (isLessBetter(name) ? value > target : value < target) ? [{ name, value, target }] : [];
  });
}
