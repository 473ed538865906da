/** Breaks between tries; the browser's own are too short for a platform that restarts. */
const BACKOFF_MS = [1000, 2000, 5000, 10_000, 30_000];

/** @param event null, with null data: anything may have changed */
type OnHint = (data: unknown, event: string | null) => void;

/** What the stream needs of the browser. */
export interface Surroundings {
  readonly connect: (path: string) => EventSource;
  readonly page: Pick<Document, 'hidden' | 'addEventListener' | 'removeEventListener'>;
}

const BROWSER: Surroundings = {
  connect: (path) => new EventSource(path, { withCredentials: true }),
  get page() {
    return document;
  },
};

/**
 * A stream of server-sent events that is open while somebody sees the page: a browser has six connections to a server that
 * speaks HTTP/1.1, for all of its tabs. Events are hints: the reader asks for what changed, and for all of it once more when
 * the stream breaks, as it does with the session, and when it is open again, since no event is repeated.
 */
export class EventStream {
  private source: EventSource | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;
  /** Events may have been lost since the last read. */
  private hasGap = false;

  constructor(
    private readonly path: string,
    private readonly names: readonly string[],
    private readonly onHint: OnHint,
    private readonly around: Surroundings = BROWSER,
  ) {
    around.page.addEventListener('visibilitychange', this.heedPage);
    this.hasGap = around.page.hidden;
    if (!around.page.hidden) this.open();
  }

  end(): void {
    this.around.page.removeEventListener('visibilitychange', this.heedPage);
    this.close();
  }

  private readonly heedPage = (): void => {
    this.close();
    this.failures = 0;
    if (this.around.page.hidden) this.hasGap = true;
    else this.open();
  };

  private open(): void {
    const source = this.around.connect(this.path);
    this.source = source;
    source.onopen = () => {
      if (this.hasGap) this.onHint(null, null);
      this.hasGap = false;
      this.failures = 0;
    };
    source.onerror = () => {
      source.close();
      if (this.failures === 0) this.onHint(null, null);
      this.hasGap = true;
      this.timer = setTimeout(() => this.open(), BACKOFF_MS[Math.min(this.failures, BACKOFF_MS.length - 1)]);
      this.failures += 1;
    };
    for (const name of this.names)
      source.addEventListener(name, (event) => this.onHint(dataOf(event as MessageEvent), name));
  }

  private close(): void {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = undefined;
  }
}

function dataOf(event: MessageEvent): unknown {
  try {
    return JSON.parse(String(event.data));
  } catch {
    return null;
  }
}
