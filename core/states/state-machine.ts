/** The states of one kind of resource and the steps between them. */
export interface StateMachine<S extends string = string> {
  /** What its users call it, for messages. */
  readonly entity: string;
  readonly states: readonly S[];
  /** True when a step leads from one state to the other; staying is no step. */
  may(from: S, to: S): boolean;
  /** True when no step leads out of it. */
  isFinal(state: S): boolean;
}

/** @param next what may follow each state */
export function stateMachine<S extends string>(
  entity: string,
  next: Readonly<Record<S, readonly S[]>>,
): StateMachine<S> {
  return {
    entity,
    states: Object.keys(next) as S[],
    may: (from, to) => next[from].includes(to),
    isFinal: (state) => next[state].length === 0,
  };
}
