import { lookup, type LookupAddress } from 'node:dns';
import { Slots } from '../../../core/load/slots.js';

type Answer = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/** Answers every address of a name, as `dns.lookup` with `all`. Tests hand in one of their own. */
export type Resolve = (host: string, callback: Answer) => void;

/**
 * Names of sources that are looked up at a time in a process. A look-up holds a thread until the name servers answer or the system gives up, and
 * half of the threads (UV_THREADPOOL_SIZE) take look-ups: one of four is left to the database, the store and all others, whatever tenants name.
 */
const AT_ONCE = 3;
/** As long as a connection may take to be made. */
const WAIT_MS = 5000;

/**
 * Those who ask for a name that is being looked up share the answer, and so many names are looked up at once. The others wait, for as long as
 * their connection may take: nobody waits for the answer then.
 */
export function sharedLookUps(resolve: Resolve, atOnce = AT_ONCE, waitMs = WAIT_MS): Resolve {
  const places = new Slots(atOnce);
  const underWay = new Map<string, Promise<Parameters<Answer>>>();
  const lookUp = async (host: string): Promise<Parameters<Answer>> => {
    try {
      return await places.during(() => new Promise<Parameters<Answer>>((done) => resolve(host, (...answer) => done(answer))), 1, AbortSignal.timeout(waitMs));
    } finally {
      underWay.delete(host);
    }
  };
  return (host, callback) => {
    const answer = underWay.get(host) ?? lookUp(host);
    underWay.set(host, answer);
    void answer.then(
      (found) => callback(...found),
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

/** As the system does it, so that its file of hosts counts. */
export const systemResolve: Resolve = sharedLookUps((host, callback) => lookup(host, { all: true, verbatim: true }, callback));
