import type { IncomingHttpHeaders } from 'node:http';
import { type Agent, request } from 'undici';
import { assertCallable, nextRedirect } from './redirects.js';
import { refusedElsewhere, sourceFailure, statusFailure, translateSourceError } from './source-failures.js';

const MAX_REDIRECTS = 5;
/** How much of an unwanted body is read, and for how long, to keep the connection. */
const DUMP_BYTES = 16 * 1024;
const DUMP_MS = 2000;

type Body = Awaited<ReturnType<typeof request>>['body'];

export interface GuardedCall {
  readonly token: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** From the call to the end of the answer's head, for each redirect: waiting for a free connection and provisional answers count. */
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
 * One GET with at most five redirects, each checked like the first. The token goes to the first origin alone and, once
 * another was visited, to none. Follows with a body only for 200 and 206.
 * @param address absolute; what a person or the source's own answer gave
 * @throws AppError with a SourceFailureDetail; the reason of `signal`
 */
export async function guardedGet(agent: Agent, address: string, call: GuardedCall): Promise<GuardedAnswer> {
  let url = assertCallable(address);
  let { token } = call;
  let isElsewhere = false;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
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
    const next = nextRedirect(url, answer.headers.location);
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
