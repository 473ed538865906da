/** The first that waits for others of its tenant asks so soon for a place. */
const FIRST_WAIT_MS = 5000;
const LONGEST_WAIT_MS = 120_000;

/** Pauses grow: what is waited for may take hours, and each costs the run eleven of the 50,000 events it may have. @param waits those before */
export const placePauseMs = (waits: number): number =>
  Math.min(FIRST_WAIT_MS * 1.25 ** waits, LONGEST_WAIT_MS);
