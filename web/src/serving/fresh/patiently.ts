import { isPassing, isSessionEnd } from '../../api/errors';
import { whenSomebodyIsHere } from '../../app/person-here';
import { setSessionOver } from '../../app/session-end';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * For work that has waited long: a platform that is away is asked again, and one that knows no session any more once somebody has
 * signed in.
 * @throws every other failure, and the end of the session when its person signs out
 */
export async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (let ms = FIRST_PAUSE_MS; ; ms = Math.min(2 * ms, LONGEST_PAUSE_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (isSessionEnd(error)) await newSession(error);
      else if (isPassing(error)) await pause(ms);
      else throw error;
    }
  }
}

/** The page asks its person to sign in again. @throws the given error when they sign out */
function newSession(error: unknown): Promise<void> {
  setSessionOver(true);
  return new Promise((resolve, reject) => {
    const stop = whenSomebodyIsHere((person) => {
      stop();
      if (person === null) reject(error);
      else resolve();
    });
  });
}
