/** Reads an event stream the way a browser does, one event at a time. */
export interface SseReader {
  readonly status: number;
  readonly headers: Headers;
  /** What the server last asked for by `retry:`, in milliseconds. */
  readonly retryMs: number | null;
  /** The next event; rejects with `ended` when the stream is over, or when none comes in time. */
  next(timeoutMs?: number): Promise<{ event: string; data: Record<string, unknown> }>;
  close(): void;
}

export async function openSse(url: string, headers: Record<string, string> = {}): Promise<SseReader> {
  const abort = new AbortController();
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: abort.signal,
  });
  const blocks = response.body ? readBlocks(response.body) : null;
  let retryMs: number | null = null;

  const next = async (): Promise<{ event: string; data: Record<string, unknown> }> => {
    for (;;) {
      const block = blocks ? await blocks.next().catch(() => null) : null;
      if (!block || block.done) throw new Error('ended');
      const fields = new Map(
        block.value
          .split('\n')
          .map(
            (line) =>
              [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trimStart()] as const,
          ),
      );
      if (fields.has('id')) throw new Error('an id line was sent');
      if (fields.has('retry')) retryMs = Number(fields.get('retry'));
      const data = fields.get('data');
      if (data !== undefined)
        return { event: fields.get('event') ?? 'message', data: JSON.parse(data) as Record<string, unknown> };
    }
  };
  return {
    status: response.status,
    headers: response.headers,
    get retryMs() {
      return retryMs;
    },
    next: (timeoutMs = 5000) => within(next(), timeoutMs),
    close: () => abort.abort(),
  };
}

async function* readBlocks(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    for (let at = text.indexOf('\n\n'); at >= 0; at = text.indexOf('\n\n')) {
      yield text.slice(0, at);
      text = text.slice(at + 2);
    }
  }
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await Promise.race([
      work,
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`no event within ${ms} ms`)), ms);
      }),
    ]);
  } finally {
    clearTimeout(timer);
  }
}
