const FIRST_MS = 1_000;
const MOST_MS = 30_000;

/** Pause before try number `failures` + 1. @param retryAfter the header's seconds, where the platform gave them */
export function pauseMs(failures: number, retryAfter: string | null, chance: number): number {
  const asked = Number(retryAfter);
  if (retryAfter !== null && Number.isFinite(asked) && asked >= 0)
    return Math.min(asked * 1000, 60_000) + chance * 250;
  const grown = Math.min(FIRST_MS * 2 ** (failures - 1), MOST_MS);
  // Four senders that failed together shall not come back together.
  return grown * (0.75 + chance / 2);
}

/** Worth another try: the platform is busy, restarting or out of reach. */
export const isPassingStatus = (status: number): boolean =>
  status === 408 || status === 429 || status === 502 || status === 503 || status === 504;
