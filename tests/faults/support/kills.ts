/** `npm run faults` makes the full count of kills, `npm run faults -- --short` two of each kind. */
export const IS_FULL_RUN = process.env.FAULT_RUN === 'full';

/** @param full kills in a full run; `FAULT_KILLS=n` overrides it in any run */
export const killsOf = (full: number): number => Number(process.env.FAULT_KILLS ?? (IS_FULL_RUN ? full : 2));

/** Where a full run writes what it saw. */
export const reportFile = (name: string): string | null => (IS_FULL_RUN ? `dist/${name}.json` : null);
