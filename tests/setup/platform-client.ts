import { setTimeout as sleep } from 'node:timers/promises';

export interface ClientAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** Parsed when the answer is JSON, else null. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the server sent; the test says what it expects
  readonly body: any;
}

export interface ClientCall {
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  /** One file as multipart/form-data. */
  readonly file?: { readonly name: string; readonly bytes: Buffer };
  /** Sent as application/octet-stream. */
  readonly bytes?: Buffer;
}

/** Nobody answered, or not to the end: whether the change was made is not known. */
export class LostAnswer extends Error {
  override readonly name = 'LostAnswer';
}

const ANSWER_MS = 120_000;

/** The REST API as one person in one tenant uses it, over the network. */
export class PlatformClient {
  constructor(
    readonly baseUrl: string,
    readonly token: string | null = null,
    readonly tenant: string | null = null,
  ) {}

  static async signIn(
    baseUrl: string,
    email: string,
    password: string,
    tenant: string | null = null,
  ): Promise<PlatformClient> {
    const answer = await new PlatformClient(baseUrl).call('POST', '/auth/jwt/login', {
      form: { username: email, password },
    });
    if (answer.status !== 200)
      throw new Error(`signing in answered ${answer.status}: ${answer.bytes.toString()}`);
    return new PlatformClient(baseUrl, answer.body.access_token as string, tenant);
  }

  /** @throws LostAnswer when the connection broke */
  async call(method: string, path: string, what: ClientCall = {}): Promise<ClientAnswer> {
    const headers: Record<string, string> = {};
    if (this.token !== null) headers.authorization = `Bearer ${this.token}`;
    if (this.tenant !== null) headers['x-tenant'] = this.tenant;
    if (what.json !== undefined) headers['content-type'] = 'application/json';
    if (what.bytes !== undefined) headers['content-type'] = 'application/octet-stream';
    try {
      const response = await fetch(`${this.baseUrl}${path}`, {
        method,
        headers,
        body: bodyOf(what),
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      const isJson = response.headers.get('content-type')?.includes('json') === true;
      return {
        status: response.status,
        headers: response.headers,
        bytes,
        body: isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : null,
      };
    } catch (error) {
      throw new LostAnswer(`${method} ${path}: ${(error as Error).cause ?? error}`);
    }
  }

  /** @throws Error with the whole answer for any other status */
  async expect(status: number, method: string, path: string, what: ClientCall = {}): Promise<ClientAnswer> {
    const answer = await this.call(method, path, what);
    if (answer.status !== status)
      throw new Error(
        `${method} ${path} answered ${answer.status} instead of ${status}: ${answer.bytes.toString().slice(0, 2000)}`,
      );
    return answer;
  }

  /** Reads again until `done` holds. */
  // biome-ignore lint/suspicious/noExplicitAny: as in ClientAnswer
  async until(path: string, done: (body: any) => boolean, timeoutMs = 60_000): Promise<any> {
    for (const end = Date.now() + timeoutMs; ; await sleep(150)) {
      const { body } = await this.expect(200, 'GET', path);
      if (done(body)) return body;
      if (Date.now() > end) throw new Error(`${path} is still ${JSON.stringify(body).slice(0, 1500)}`);
    }
  }
}

function bodyOf(what: ClientCall): NonNullable<RequestInit['body']> | null {
  if (what.json !== undefined) return JSON.stringify(what.json);
  if (what.form !== undefined) return new URLSearchParams(what.form);
  if (what.bytes !== undefined) return new Uint8Array(what.bytes);
  if (what.file === undefined) return null;
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(what.file.bytes)]), what.file.name);
  return form;
}
