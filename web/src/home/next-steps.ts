/** What a tenant has, as far as the way to a served model goes. */
export interface Amounts {
  readonly datasets: number;
  readonly trainings: number;
  readonly versions: number;
  readonly endpoints: number;
}

export type StepKey = 'dataset' | 'training' | 'model' | 'endpoint';

export interface NextStep {
  readonly key: StepKey;
  readonly isDone: boolean;
  /** The first that is not done: the one to do now. */
  readonly isNext: boolean;
}

const WAY: ReadonlyArray<readonly [StepKey, keyof Amounts]> = [
  ['dataset', 'datasets'],
  ['training', 'trainings'],
  ['model', 'versions'],
  ['endpoint', 'endpoints'],
];

/** The way from pictures to a served model, ticked off by what is there. */
export function nextSteps(has: Amounts): NextStep[] {
  const next = WAY.find(([, amount]) => has[amount] === 0)?.[0];
  return WAY.map(([key, amount]) => ({ key, isDone: has[amount] > 0, isNext: key === next }));
}
