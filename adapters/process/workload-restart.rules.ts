/** When a service instance that died starts again. */
export const MAX_TRIES = 5;
export const HEALTHY_AFTER_MS = 60_000;
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 30_000;

export type RestartDecision =
  | { readonly kind: 'restart'; readonly afterMs: number; readonly tries: number }
  | { readonly kind: 'give-up' };

/**
 * @param tries starts that ended badly since it was last healthy for HEALTHY_AFTER_MS, this one not counted
 * @param wasHealthyMs how long it had been answering when it died; null = it never answered
 */
export function decideRestart(tries: number, wasHealthyMs: number | null): RestartDecision {
  const counted = wasHealthyMs !== null && wasHealthyMs >= HEALTHY_AFTER_MS ? 1 : tries + 1;
  if (counted >= MAX_TRIES) return { kind: 'give-up' };
  return {
    kind: 'restart',
    afterMs: Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (counted - 1)),
    tries: counted,
  };
}
