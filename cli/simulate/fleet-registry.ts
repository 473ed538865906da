import { ApiClient, ApiError } from '../sample/api-client.js';
import { pause } from './pause-and-repeat.js';

const AT_ONCE = 8;
const TRIES = 60;
const PAUSE_S = 1;
const DEVICES = '/api/v1/edge/devices';

/** Lends a bearer token of somebody who may change SETTINGS. */
export type AdminAccess = <T>(work: (token: string) => Promise<T>) => Promise<T>;

/** The devices of a tenant, as a person makes and deletes them. Waits for a platform that is away for a moment. */
export class FleetRegistry {
  constructor(
    private readonly url: string,
    private readonly tenant: string,
    private readonly access: AdminAccess,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * One that is there from an earlier run gets a new token.
   * @returns tokens by id
   * @throws ApiError for a refusal
   */
  async register(ids: readonly string[], onEach: (done: number) => void): Promise<Map<string, string>> {
    const tokens = new Map<string, string>();
    await this.each(ids, this.signal, async (api, id) => {
      const json = { id, location: 'simulation' };
      const { token } = await api.post<{ token: string }>(DEVICES, json).catch((error: unknown) => {
        if (!(error instanceof ApiError && error.status === 409)) throw error;
        return api.post<{ token: string }>(`${DEVICES}/${id}/token:rotate`);
      });
      tokens.set(id, token);
      onEach(tokens.size);
    });
    return tokens;
  }

  /** Goes on when it is asked to stop: what was made is taken away again. */
  remove(ids: readonly string[]): Promise<void> {
    return this.each(ids, new AbortController().signal, async (api, id) => {
      await api.delete(`${DEVICES}/${id}`).catch((error: unknown) => {
        if (!(error instanceof ApiError && error.status === 404)) throw error;
      });
    });
  }

  private each(
    ids: readonly string[],
    signal: AbortSignal,
    work: (api: ApiClient, id: string) => Promise<void>,
  ): Promise<void> {
    return this.access(async (token) => {
      const api = new ApiClient(this.url, token, this.tenant, signal);
      const waiting = [...ids];
      const lane = async () => {
        for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
          const one = id;
          await patiently(() => work(api, one), signal);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, lane));
    });
  }
}

/** Again while nobody answers, or the answer says "later". */
async function patiently(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      const isFinal = error instanceof ApiError && error.status < 500 && error.status !== 429;
      if (isFinal || left === 0 || signal.aborted) throw error;
      await pause(PAUSE_S, signal);
    }
  }
}
