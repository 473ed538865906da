import type { IncomingHttpHeaders } from 'node:http';
import { type Agent, request } from 'undici';
import { assertCallable, nextHop } from './redirects.js';
import { sourceFailure, translateSourceError } from './source-failures.js';

const MAX_REDIRECTS = 5;
/** How much of an unwanted body is read, and for how long, to keep the connection. */
const DUMP_BYTES = 16 * 1024;
const DUMP_MS = 2000;
const MAX_RETRY_AFTER_S = 3600;

type Body = Awaited<ReturnType<typeof request>>['body'];

export interface GuardedCall {
  readonly token: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** From the call to the end of the answer's head, each hop: waiting for a free connection and provisional answers count. */
  readonly headMs: number;
  readonly signal: AbortSignal | null;
}

export interface GuardedAnswer {
  readonly status: 200 | 206;
  readonly headers: IncomingHttpHeaders;
  /** To be consumed or destroyed. */
  readonly body: Body;
  /** Who answered in the end. */
  readonly host: string;
}

/**
 * One GET with at most five redirects, each hop checked like the first. The token goes to the first origin alone and, once
 * another was visited, to none. Follows with a body only for 200 and 206.
 * @param address absolute; what a person or the source's own answer gave
 * @throws AppError with a SourceFailureDetail; the reason of `signal`
 */
export async function guardedGet(agent: Agent, address: string, call: GuardedCall): Promise<GuardedAnswer> {
  let url = assertCallable(address);
  let { token } = call;
  let isElsewhere = false;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const answer = await send(agent, url, token, call);
    const status = answer.statusCode;
    if (status === 200 || status === 206)
      return { status, headers: answer.headers, body: answer.body, host: url.host };
    const soon = AbortSignal.timeout(DUMP_MS);
    await answer.body
      .dump({ limit: DUMP_BYTES, signal: call.signal ? AbortSignal.any([call.signal, soon]) : soon })
      .catch(() => undefined);
    call.signal?.throwIfAborted();
    if (![301, 302, 303, 307, 308].includes(status))
      throw isElsewhere && (status === 401 || status === 403)
        ? refusedElsewhere(status, url.host)
        : statusFailure(status, url.host, answer.headers['retry-after'], token !== null);
    const next = nextHop(url, answer.headers.location);
    if (next.origin !== url.origin) {
      token = null;
      isElsewhere = true;
    }
    url = next;
  }
  throw sourceFailure(
    'redirect',
    `The source redirects more than ${MAX_REDIRECTS} times.`,
    'Give the address the redirects end at as base_url.',
  );
}

/** Ends with the caller's signal until the body is closed. One controller for each call: of signals that `AbortSignal.any` joins, something stays until the next full collection. */
async function send(
  agent: Agent,
  url: URL,
  token: string | null,
  call: GuardedCall,
): ReturnType<typeof request> {
  call.signal?.throwIfAborted();
  const own = new AbortController();
  const leave = () => own.abort(call.signal?.reason);
  const letGo = () => call.signal?.removeEventListener('abort', leave);
  call.signal?.addEventListener('abort', leave, { once: true });
  const timer = setTimeout(() => own.abort(new DOMException('no head in time', 'TimeoutError')), call.headMs);
  const headers = {
    'user-agent': 'visionops',
    ...call.headers,
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  };
  try {
    const answer = await request(url, { method: 'GET', headers, dispatcher: agent, signal: own.signal });
    answer.body.once('close', letGo);
    return answer;
  } catch (error) {
    letGo();
    call.signal?.throwIfAborted();
    throw translateSourceError(error, url.host);
  } finally {
    clearTimeout(timer);
  }
}

/** An object store answers so for one signed address that leads to nothing: that says nothing of the source's own token. */
const refusedElsewhere = (status: number, host: string): Error =>
  sourceFailure(
    'redirect',
    `The source redirects to ${host}, which refuses the call (status ${status}).`,
    'Let the source redirect to addresses that can be read without its token, and see that what they lead to is there.',
  );

function statusFailure(
  status: number,
  host: string,
  retryAfter: string | string[] | undefined,
  hadToken: boolean,
): Error {
  if (status === 401 || status === 403) {
    const what = hadToken ? 'refuses the token' : 'asks for a token, and none was sent';
    return sourceFailure(
      'credentials',
      `${host} ${what} (status ${status}).`,
      'Set a token of the source that may read its datasets.',
    );
  }
  if (status === 404 || status === 410)
    return sourceFailure(
      'missing',
      `${host} does not have what was asked for (status ${status}).`,
      'Check base_url and the id of the remote dataset.',
    );
  if (status === 429 || status >= 500) {
    const retryAfterS = retryAfterOf(retryAfter);
    const message =
      status === 429
        ? `${host} is asked too often (status 429).`
        : `${host} failed by its own account (status ${status}).`;
    return sourceFailure(
      'busy',
      message,
      'Try again later; if it stays so, look into the log of the source.',
      retryAfterS === null ? {} : { retryAfterS },
    );
  }
  return sourceFailure(
    'shape',
    `${host} answers with status ${status}, which is none of the agreed ones.`,
    'Check that base_url is the root of the three endpoints of a source.',
  );
}

/** Seconds, or a date (RFC 9110, 10.2.3); null for anything else. */
function retryAfterOf(value: string | string[] | undefined): number | null {
  const text = Array.isArray(value) ? value[0] : value;
  if (text === undefined || text.length > 64) return null;
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_S) : null;
}
