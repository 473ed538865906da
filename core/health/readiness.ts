/** Throws, with a plain reason, what is not well. */
export type Check = () => Promise<void>;

export interface ReadinessReport {
  readonly ready: boolean;
  /** By name: `ok`, or why not. */
  readonly checks: Readonly<Record<string, string>>;
}

export interface ReadinessParts {
  /** The process is ready when none throws. */
  readonly checks: Readonly<Record<string, Check>>;
  /** What is reported beside them and keeps nobody from being served. */
  readonly notes?: Readonly<Record<string, Check>>;
}

const CHECK_TIMEOUT_MS = 3000;
/** Callers who are not signed in are answered by the checks of this long ago. */
const FRESH_MS = 1000;
const OK = 'ok';

/** Whether a process wants to be sent work. */
export class Readiness {
  private refusal: string | null = null;
  private recent: { readonly at: number; readonly report: Promise<ReadinessReport> } | null = null;

  constructor(private readonly parts: ReadinessParts) {}

  /** From now on the process is not ready, whatever the checks say, so that no work is sent to it. */
  refuse(reason: 'starting' | 'stopping'): void {
    this.refusal = reason;
  }

  /** From now on the checks decide. */
  accept(): void {
    this.refusal = null;
  }

  async report(): Promise<ReadinessReport> {
    const [checks, notes] = await Promise.all([
      outcomes(this.parts.checks),
      outcomes(this.parts.notes ?? {}),
    ]);
    const refused: Record<string, string> = this.refusal === null ? {} : { process: this.refusal };
    return {
      ready: this.refusal === null && Object.values(checks).every((outcome) => outcome === OK),
      checks: { ...checks, ...notes, ...refused },
    };
  }

  /** For callers whom nobody knows: however often they ask, the checks run once a second. */
  async isReady(): Promise<boolean> {
    const now = performance.now();
    if (this.recent === null || now - this.recent.at > FRESH_MS)
      this.recent = { at: now, report: this.report() };
    return (await this.recent.report).ready && this.refusal === null;
  }
}

const outcomes = async (checks: Readonly<Record<string, Check>>): Promise<Record<string, string>> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await outcome(check)] as const),
    ),
  );

async function outcome(check: Check): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('no answer in time'), CHECK_TIMEOUT_MS);
  });
  try {
    return await Promise.race([check().then(() => OK), late]);
  } catch (error) {
    return (error as Error).message.slice(0, 300);
  } finally {
    clearTimeout(timer);
  }
}
