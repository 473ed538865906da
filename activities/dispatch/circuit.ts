/** Deliveries in a row that did not reach the other side before all of them pause. */
const OPENS_AFTER = 5;
const FIRST_PAUSE_MS = 500;
/** Short, because asking costs little and whoever waits for durable work waits this long at most after it is back. */
const MAX_PAUSE_MS = 5000;

/** How much may go: `closed` all, `half-open` one entry as a trial, `open` nothing yet. */
type CircuitState = 'closed' | 'half-open' | 'open';

export interface CircuitOptions {
  /** A cheap question with a short deadline of its own; throws while the other side does not answer. */
  readonly reach: () => Promise<void>;
  readonly onChange?: (state: CircuitState, reason: string | null) => void;
  readonly now?: () => number;
}

/**
 * Spares an engine that is away, or that takes connections and never answers, the whole backlog, and the entries their
 * tries: after a few failures everything pauses, a question finds out whether it answers again, and one entry whether it
 * works again. Then everything goes at once.
 */
export class Circuit {
  private state: CircuitState = 'closed';
  private failures = 0;
  private pauses = 0;
  private asksAtMs = 0;
  private readonly now: () => number;

  constructor(private readonly options: CircuitOptions) {
    this.now = options.now ?? Date.now;
  }

  /** Whether nothing may go. Half-open is no pause: without an entry to try, it can last for hours. */
  get isOpen(): boolean {
    return this.state === 'open';
  }

  /** How many of `all` entries may be taken now. */
  allowance(all: number): number {
    return this.state === 'closed' ? all : 1;
  }

  /** Milliseconds until entries may be taken, 0 for now. Asks the other side when the time for it has come. */
  async waitMs(): Promise<number> {
    if (this.state !== 'open') return 0;
    if (this.now() >= this.asksAtMs) {
      try {
        await this.options.reach();
        this.change('half-open', null);
        return 0;
      } catch (error) {
        this.open((error as Error).message);
      }
    }
    return Math.max(1, this.asksAtMs - this.now());
  }

  /** Called after each delivery. @param away why the other side could not be reached; null when it answered, however */
  record(away: string | null): void {
    if (away === null) {
      this.failures = 0;
      this.pauses = 0;
      if (this.state === 'half-open') this.change('closed', null);
      return;
    }
    this.failures += 1;
    // Entries of one batch are under way together, and only the first failures among them count.
    if (this.state === 'half-open' || (this.state === 'closed' && this.failures >= OPENS_AFTER))
      this.open(away);
  }

  private open(reason: string): void {
    this.asksAtMs = this.now() + Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.pauses);
    this.pauses += 1;
    if (this.state !== 'open') this.change('open', reason);
  }

  private change(state: CircuitState, reason: string | null): void {
    this.state = state;
    this.options.onChange?.(state, reason);
  }
}
