const BAR_WIDTH = 24;
const REDRAW_MS = 120;
/** Without a terminal a long step says where it is each time it has passed another quarter. */
const QUARTERS = 4;

/** Reports how far a step is. @param fraction from 0 to 1 */
export type Report = (fraction: number, note?: string) => void;

interface ActiveStep {
  readonly text: string;
  readonly startedAt: number;
  fraction: number | null;
  note: string;
  quartersSaid: number;
}

/** A line per step with its elapsed time; on a terminal a live line with a bar below, elsewhere plain lines only. */
export class Progress {
  private readonly active = new Set<ActiveStep>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly stream: NodeJS.WriteStream) {}

  /** Runs `work` and says how long it took, or that it failed. Steps may run side by side. */
  async step<T>(text: string, work: (report: Report) => Promise<T>): Promise<T> {
    const step: ActiveStep = { text, startedAt: Date.now(), fraction: null, note: '', quartersSaid: 0 };
    this.begin(step);
    try {
      const result = await work((fraction, note) => this.update(step, fraction, note ?? ''));
      this.end(step, 'ok');
      return result;
    } catch (error) {
      this.end(step, 'failed');
      throw error;
    }
  }

  /** Prints a line without breaking the live one. */
  say(text: string): void {
    this.clear();
    this.stream.write(`${text}\n`);
    this.draw();
  }

  private begin(step: ActiveStep): void {
    this.active.add(step);
    if (this.stream.isTTY && this.timer === null)
      this.timer = setInterval(() => this.draw(), REDRAW_MS).unref();
  }

  private update(step: ActiveStep, fraction: number, note: string): void {
    step.fraction = Math.min(1, Math.max(0, fraction));
    step.note = note;
    const quarter = Math.floor(step.fraction * QUARTERS);
    if (this.stream.isTTY || quarter <= step.quartersSaid || quarter === QUARTERS) return;
    step.quartersSaid = quarter;
    this.stream.write(
      `  ..  ${step.text}: ${Math.round(step.fraction * 100)} %${note === '' ? '' : `, ${note}`}\n`,
    );
  }

  private end(step: ActiveStep, outcome: 'ok' | 'failed'): void {
    this.active.delete(step);
    if (this.active.size === 0 && this.timer !== null) {
      clearInterval(this.timer);
      this.timer = null;
    }
    const mark = outcome === 'ok' ? '  ok  ' : '  !!  ';
    const note = step.note === '' ? '' : ` (${step.note})`;
    this.say(`${mark}${`${step.text}${note} `.padEnd(56, '.')} ${seconds(Date.now() - step.startedAt)}`);
  }

  private clear(): void {
    if (this.stream.isTTY) this.stream.write('\r\u001b[2K');
  }

  private draw(): void {
    if (!this.stream.isTTY || this.active.size === 0) return;
    const parts = [...this.active].map(
      (step) =>
        `${step.text} ${step.fraction === null ? '' : `${bar(step.fraction)} ${step.note} `}${seconds(Date.now() - step.startedAt)}`,
    );
    const line = `  ... ${parts.join(' | ')}`;
    this.stream.write(`\r\u001b[2K${line.slice(0, (this.stream.columns ?? 80) - 1)}`);
  }
}

const bar = (fraction: number): string => {
  const full = Math.round(fraction * BAR_WIDTH);
  return `[${'#'.repeat(full)}${'-'.repeat(BAR_WIDTH - full)}] ${Math.round(fraction * 100)} %`;
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
