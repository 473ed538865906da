import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError } from '../engines/engine.js';

const TRIES = 5;
const FIRST_WAIT_MS = 500;
const SILENCE_MS = 120_000;

/** A refusal of a tracking server, in its own words. */
export class TrackerRefusal extends Error {
  override readonly name = 'TrackerRefusal';
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** What the holder of the token may not do; `said` names the right that is missing. */
export class TrackerForbidden extends EngineError {
  constructor(
    message: string,
    readonly said: string,
  ) {
    super(message);
  }
}

/** What a server cannot do for reasons of its own, as where a file of it is lost; the rest it can. */
export class TrackerFailure extends EngineError {}

export interface ServerAddress {
  /** `the other server` or `this platform`, for messages. */
  readonly role: string;
  /** Below it MLflow's protocol is spoken. */
  readonly url: string;
  /** Value of the header Authorization. */
  readonly authorization: string | null;
  /** What to do about a 401 or 403. */
  readonly hint: string;
}

type Params = Readonly<Record<string, string | number>>;

/** A server that speaks MLflow's protocol. What it does not answer for a moment is asked again. */
export class TrackerServer {
  constructor(
    private readonly address: ServerAddress,
    private readonly signal: AbortSignal,
  ) {}

  async get<T>(path: string, params: Params = {}): Promise<T> {
    return (await (await this.request('GET', path, { params })).json()) as T;
  }

  /** @param isRepeatable false: made twice it would be there twice, so a call whose answer is lost is not sent again */
  async send<T = unknown>(method: string, path: string, body: unknown, isRepeatable = true): Promise<T> {
    return (await (await this.request(method, path, { body, isRepeatable })).json()) as T;
  }

  /** All items of a list that comes in pages. */
  async *pages<T extends { readonly next_page_token?: string }>(
    page: (token: Readonly<{ page_token?: string }>) => Promise<T>,
  ): AsyncGenerator<T, void> {
    for (let token: { page_token?: string } = {}; ; ) {
      const found: T = await page(token);
      yield found;
      if (!found.next_page_token) return;
      token = { page_token: found.next_page_token };
    }
  }

  /** The bytes of a file. */
  async open(path: string, params: Params): Promise<Response> {
    return this.request('GET', path, { params, isTimed: false });
  }

  async put(path: string, body: Readable, sizeBytes: number): Promise<void> {
    const headers = { 'content-type': 'application/octet-stream', 'content-length': String(sizeBytes) };
    const init = { body: sizeBytes === 0 ? '' : Readable.toWeb(body), duplex: 'half', headers };
    const answer = await this.fetchOnce('PUT', `${this.address.url}${path}`, init as RequestInit, false);
    if (!answer.ok) throw await this.refusal(answer, 'PUT', path);
  }

  private async request(
    method: string,
    path: string,
    {
      params = {},
      body,
      isRepeatable = true,
      isTimed = true,
    }: { params?: Params; body?: unknown; isRepeatable?: boolean; isTimed?: boolean },
  ): Promise<Response> {
    const query = new URLSearchParams(
      Object.entries(params).map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    const url = `${this.address.url}${path}${query === '' ? '' : `?${query}`}`;
    const init: RequestInit =
      body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    for (let left = TRIES, waitMs = FIRST_WAIT_MS; ; waitMs *= 2) {
      left -= 1;
      const answer = await this.fetchOnce(method, url, init, isTimed).catch((error: unknown) => {
        if (left === 0 || !isRepeatable || this.signal.aborted) throw error;
        return null;
      });
      if (answer?.ok) return answer;
      // 429 and 503 say that nothing was done.
      const isPassing =
        answer === null || [429, 503].includes(answer.status) || (isRepeatable && answer.status >= 500);
      if (answer !== null && (left === 0 || !isPassing)) throw await this.refusal(answer, method, path);
      await answer?.body?.cancel();
      await sleep(waitMs, undefined, { signal: this.signal });
    }
  }

  private async fetchOnce(
    method: string,
    url: string,
    init: RequestInit,
    isTimed: boolean,
  ): Promise<Response> {
    const { authorization, role } = this.address;
    const headers = {
      ...(authorization === null ? {} : { authorization }),
      ...(init.headers as Record<string, string> | undefined),
    };
    const limits = isTimed ? [this.signal, AbortSignal.timeout(SILENCE_MS)] : [this.signal];
    try {
      return await fetch(url, { ...init, method, headers, signal: AbortSignal.any(limits) });
    } catch (error) {
      this.signal.throwIfAborted();
      const { code } = ((error as Error).cause ?? {}) as { code?: string };
      throw new EngineError(
        `${role} at ${this.address.url} does not answer (${code ?? (error as Error).message}): see that it runs and that its ` +
          'address is right, then run the same command again; it goes on from here.',
      );
    }
  }

  private async refusal(answer: Response, method: string, path: string): Promise<Error> {
    const { role, url, hint } = this.address;
    const text = await answer.text().catch(() => '');
    const said = parsed(text);
    if (answer.status === 401 || answer.status === 403) {
      const refused = `${role} at ${url} refuses ${method} ${path} (${answer.status})`;
      if (answer.status === 401) return new EngineError(`${refused}: ${hint}`);
      return new TrackerForbidden(`${refused}: ${said.message ?? ''} ${hint}`, said.message ?? refused);
    }
    if (answer.status >= 500 && answer.status !== 501) {
      const text =
        `${role} at ${url} fails at ${method} ${path} (${answer.status} ${said.message ?? ''}): look into its log, then run ` +
        'the same command again; it goes on from here.';
      return answer.status === 500 ? new TrackerFailure(text) : new EngineError(text);
    }
    const message = `${method} ${path}: ${answer.status} ${said.message ?? text.slice(0, 200)}`;
    return new TrackerRefusal(answer.status, said.error_code ?? '', message);
  }
}

function parsed(text: string): { error_code?: string; message?: string } {
  try {
    return (JSON.parse(text) ?? {}) as { error_code?: string; message?: string };
  } catch {
    return {};
  }
}
