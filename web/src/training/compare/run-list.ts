/** Runs that are compared at a time. */
export const MOST_RUNS = 20;

/** Ids in the address of the page, each once. */
export const runsOf = (given: string | undefined): string[] =>
  [...new Set((given ?? '').split(',').map((id) => id.trim()))].filter((id) => id !== '').slice(0, MOST_RUNS);
