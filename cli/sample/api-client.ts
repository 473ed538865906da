/** A refusal of the API, in its own words. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** One event of an event stream. */
export interface StreamEvent {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** The REST API as one signed-in person in one tenant sees it. */
export class ApiClient {
  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
    private readonly tenant: string,
    private readonly signal: AbortSignal,
  ) {}

  get<T>(path: string): Promise<T> {
    return this.send<T>('GET', path);
  }

  /** Null when there is no such thing. */
  async find<T>(path: string): Promise<T | null> {
    try {
      return await this.get<T>(path);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  }

  post<T>(path: string, body?: unknown): Promise<T> {
    return body === undefined ? this.send<T>('POST', path) : this.send<T>('POST', path, json(body));
  }

  async put(path: string, body: unknown): Promise<void> {
    await this.send('PUT', path, json(body));
  }

  async delete(path: string): Promise<void> {
    await this.send('DELETE', path);
  }

  upload<T>(path: string, filename: string, bytes: Buffer): Promise<T> {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(bytes)], { type: 'application/zip' }), filename);
    return this.send<T>('POST', path, { body: form });
  }

  /** Reads an event stream until it ends or the caller stops reading. */
  async *events(path: string): AsyncGenerator<StreamEvent> {
    const response = await this.request('GET', path, { headers: { accept: 'text/event-stream' } });
    let event = 'message';
    for await (const line of linesOf(response)) {
      if (line.startsWith('event:')) event = line.slice(6).trim();
      else if (line.startsWith('data:'))
        yield { event, data: JSON.parse(line.slice(5)) as Record<string, unknown> };
      else if (line === '') event = 'message';
    }
  }

  private async send<T>(method: string, path: string, init: RequestInit = {}): Promise<T> {
    const text = await (await this.request(method, path, init)).text();
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  private async request(method: string, path: string, init: RequestInit): Promise<Response> {
    const headers = {
      authorization: `Bearer ${this.token}`,
      'x-tenant': this.tenant,
      ...(init.headers as Record<string, string> | undefined),
    };
    const response = await fetch(`${this.baseUrl}${path}`, { ...init, method, headers, signal: this.signal });
    if (response.ok) return response;
    const body = (await response.json().catch(() => ({}))) as { message?: string; error_id?: string };
    throw new ApiError(
      response.status,
      `${method} ${path} answered ${response.status}: ${body.message ?? response.statusText}${body.error_id === undefined ? '' : ` (error ${body.error_id})`}`,
    );
  }
}

const json = (body: unknown) => ({
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});

async function* linesOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
