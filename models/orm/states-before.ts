import type { StateMachine } from '../../core/states/state-machine.js';

/** For `state in ${statesBefore(...)}` of a bulk statement: the states from which a row may come to each of these. */
export const statesBefore = <S extends string>(machine: StateMachine<S>, ...to: readonly S[]): string =>
  `('${machine.states.filter((from) => to.every((state) => machine.may(from, state))).join("', '")}')`;
