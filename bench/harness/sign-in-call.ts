import { type Agent, request } from 'node:http';

/** A caller gives up then, so that a run ends whatever the platform does. */
const PATIENCE_MS = 10_000;

export interface SignInCall {
  readonly username: string;
  readonly password: string;
  /** The address that the trusted proxy names. */
  readonly from: string;
}

export interface SignInAnswer {
  /** 0: no answer in time. */
  readonly status: number;
  readonly ms: number;
}

/** Asks once for a bearer token. */
export function callSignIn(agent: Agent, baseUrl: string, call: SignInCall): Promise<SignInAnswer> {
  const body = new URLSearchParams({ username: call.username, password: call.password }).toString();
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(Buffer.byteLength(body)),
    'x-forwarded-for': call.from,
  };
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const end = (status: number) => resolve({ status, ms: performance.now() - startedAt });
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const url = `${baseUrl}/auth/jwt/login`;
    const req = request(url, { method: 'POST', agent, headers, signal }, (answer) => {
      answer.resume();
      answer.on('end', () => end(answer.statusCode as number));
      answer.on('error', () => end(0));
    });
    req.on('error', () => end(0));
    req.end(body);
  });
}
