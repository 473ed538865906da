import { lookup, type LookupAddress } from 'node:dns';
import { LRUCache } from 'lru-cache';
import { SharedSlots } from '../../core/load/shared-slots.js';

type Found = [error: NodeJS.ErrnoException | null, addresses: LookupAddress[]];

/** Answers every address of a name, as `dns.lookup` with `all`. Tests hand in one of their own. */
export type Resolve = (host: string, callback: (...found: Found) => void) => void;

/** As the system does it, so that its file of hosts counts. A look-up can neither be cut short nor given a limit of time. */
export const systemResolve: Resolve = (host, callback) =>
  lookup(host, { all: true, verbatim: true }, callback);

/** The name was not asked for: others held all places. Says nothing about the name. */
export class LookUpsBusy extends Error {
  readonly code = 'LOOK_UPS_BUSY';
}

/**
 * Names of sources that are looked up at a time in a process, and by one tenant. A look-up holds a thread until the name servers answer or the
 * system gives up, and half of the threads (UV_THREADPOOL_SIZE) take look-ups: one of four is left to the database, the store and all others,
 * whatever tenants name.
 */
const AT_ONCE = 3;
const OF_A_TENANT = 2;
/** Places for names that did not answer quickly the last time: one stays with those that do, however many dead names there are. */
const UNPROVEN_AT_ONCE = 2;
const UNPROVEN_OF_A_TENANT = 1;
const MAX_PROVEN = 10_000;
/** What takes longer is not asked anew for a while. All places together make fewer such answers in that time. */
const SLOW_MS = 1000;
const KEEP_MS = 30_000;
const MAX_SLOW = 1000;

export interface LookUpTimes {
  /** Maximum wait for a place and the answer. */
  readonly waitMs: number;
  readonly slowMs?: number;
  readonly keepMs?: number;
}

/**
 * Look-ups that tenants share out: a name that is being looked up is looked up once, whoever asks; each tenant has few places, and names that
 * are slow or new never have all of them. Answers are used once, but slow ones are kept for a while, good or bad.
 */
export class NameLookUps {
  private readonly places = new SharedSlots(AT_ONCE, OF_A_TENANT);
  private readonly unproven = new SharedSlots(UNPROVEN_AT_ONCE, UNPROVEN_OF_A_TENANT);
  private readonly proven = new LRUCache<string, true>({ max: MAX_PROVEN });
  private readonly underWay = new Map<string, { readonly answer: Promise<Found>; readonly since: number }>();
  /** By tenant and name: who waits for a place must not depend on how many names another tenant waits for. */
  private readonly waiting = new Map<string, Promise<Found>>();
  private readonly slow: LRUCache<string, Found>;
  private readonly times: Required<LookUpTimes>;

  constructor(
    private readonly resolve: Resolve,
    times: LookUpTimes,
  ) {
    this.times = { slowMs: SLOW_MS, keepMs: KEEP_MS, ...times };
    this.slow = new LRUCache({ max: MAX_SLOW, ttl: this.times.keepMs });
  }

  of(tenantId: string): Resolve {
    return (host, callback) => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<Found>((resolve) => {
        timer = setTimeout(() => resolve([this.lateness(host), []]), this.times.waitMs).unref();
      });
      Promise.race([late, this.find(tenantId, host)])
        .finally(() => clearTimeout(timer))
        .then(
          (found) => callback(...found),
          (error: NodeJS.ErrnoException) => callback(error, []),
        );
    };
  }

  private find(tenantId: string, host: string): Promise<Found> {
    const known = this.known(host);
    if (known) return known;
    const key = `${tenantId} ${host}`;
    const found =
      this.waiting.get(key) ?? this.inTurn(tenantId, host).finally(() => this.waiting.delete(key));
    this.waiting.set(key, found);
    return found;
  }

  /** What is answered, or will be, without another look-up. */
  private known(host: string): Promise<Found> | null {
    const kept = this.slow.get(host);
    return kept ? Promise.resolve(kept) : (this.underWay.get(host)?.answer ?? null);
  }

  private async inTurn(tenantId: string, host: string): Promise<Found> {
    const patience = AbortSignal.timeout(this.times.waitMs);
    const inPlace = () =>
      this.places.during(
        tenantId,
        async () => {
          // Another tenant may have asked meanwhile: its answer is waited for without a place.
          const known = this.known(host);
          if (known) return { answer: known };
          const answer = this.lookUp(host);
          await answer;
          return { answer };
        },
        patience,
      );
    try {
      const { answer } = await (this.proven.has(host)
        ? inPlace()
        : this.unproven.during(tenantId, inPlace, patience));
      return await answer;
    } catch (error) {
      throw error === patience.reason && patience.aborted
        ? new LookUpsBusy('no place was free in time')
        : error;
    }
  }

  private async lookUp(host: string): Promise<Found> {
    const since = performance.now();
    const answer = new Promise<Found>((done) => this.resolve(host, (...found) => done(found)));
    this.underWay.set(host, { answer, since });
    this.proven.delete(host);
    try {
      const found = await answer;
      if (performance.now() - since >= this.times.slowMs) this.slow.set(host, found);
      else if (found[0] === null) this.proven.set(host, true);
      return found;
    } finally {
      this.underWay.delete(host);
    }
  }

  /** Why there is no answer yet: the name servers are at fault only where they were asked for a while. */
  private lateness(host: string): NodeJS.ErrnoException {
    const asked = this.underWay.get(host);
    if (!asked || performance.now() - asked.since < this.times.slowMs)
      return new LookUpsBusy('not asked for in time');
    return Object.assign(new Error('the name servers do not answer'), { code: 'EAI_AGAIN' });
  }
}
