import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ClientAnswer,
  type ClientCall,
  LostAnswer,
  type PlatformClient,
} from '../../setup/platform-client.js';
import type { Ledger } from './ledger.js';

/** Without any change for this long while all parts run, something is stuck: 60 s and the time a heartbeat may take. */
const STUCK_MS = 75_000;
const GIVE_UP_MS = 600_000;
const AGAIN_MS = 250;

/** When the platform was last disturbed, in milliseconds since 1970. */
export interface Disturbance {
  lastAt: number;
}

/** A client of a platform that is being killed: repeats what is safe to repeat, and books what it was answered. */
export class PatientClient {
  constructor(
    private readonly client: PlatformClient,
    readonly ledger: Ledger,
    private readonly disturbance: Disturbance,
  ) {}

  /**
   * One try of a change. Its fate is booked under the name.
   * @throws LostAnswer when nobody can say whether it was made
   */
  async change(name: string, method: string, path: string, what: ClientCall = {}): Promise<ClientAnswer> {
    try {
      const answer = await this.once(method, path, what);
      if (answer.status < 300) this.ledger.acknowledge(name);
      return answer;
    } catch (error) {
      if (error instanceof LostAnswer) this.ledger.lose(name);
      throw error;
    }
  }

  /** Reads until somebody answers. */
  read(path: string): Promise<ClientAnswer> {
    return this.insist(`GET ${path}`, () => this.once('GET', path));
  }

  /**
   * Tries again as long as the answer is lost or `attempt` answers undefined.
   * @throws Error when that lasts too long
   */
  async insist<T>(what: string, attempt: () => Promise<T | undefined>): Promise<T> {
    const startedAt = Date.now();
    for (;;) {
      try {
        const result = await attempt();
        if (result !== undefined) return result;
      } catch (error) {
        if (!(error instanceof LostAnswer)) throw error;
      }
      const quietSince = Math.max(startedAt, this.disturbance.lastAt);
      if (Date.now() - quietSince > STUCK_MS || Date.now() - startedAt > GIVE_UP_MS)
        throw new Error(
          `${what}: no answer for ${Math.round((Date.now() - quietSince) / 1000)} s with all parts running`,
        );
      await sleep(AGAIN_MS);
    }
  }

  /**
   * Reads until `done` holds; what is read must change now and then, or it is stuck.
   * @param signature of what counts as going on
   */
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the server sent
  async follow(path: string, signature: (body: any) => string, done: (body: any) => boolean): Promise<any> {
    const startedAt = Date.now();
    let [last, changedAt] = ['', Date.now()];
    for (;;) {
      const { status, body } = await this.read(path);
      if (status === 200 && done(body)) return body;
      const now = status === 200 ? signature(body) : `status ${status}`;
      if (now !== last) [last, changedAt] = [now, Date.now()];
      const quietSince = Math.max(changedAt, this.disturbance.lastAt);
      if (Date.now() - quietSince > STUCK_MS || Date.now() - startedAt > GIVE_UP_MS)
        throw new Error(`${path} is stuck for ${Math.round((Date.now() - changedAt) / 1000)} s at ${now}`);
      await sleep(AGAIN_MS);
    }
  }

  private async once(method: string, path: string, what: ClientCall = {}): Promise<ClientAnswer> {
    const answer = await this.client.call(method, path, what);
    this.ledger.answers += 1;
    if (answer.status === 500)
      this.ledger.violate(`${method} ${path} answered 500: ${answer.bytes.toString().slice(0, 300)}`);
    // A gateway or a part that is away: whether the change was made before is as unknown as with no answer at all.
    if (answer.status >= 500) throw new LostAnswer(`${method} ${path} answered ${answer.status}`);
    return answer;
  }
}
