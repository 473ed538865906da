import type { Progress } from '../terminal/progress.js';

export interface SampleOptions {
  readonly dataDir: string;
  readonly baseUrl: string;
  readonly adminEmail: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

export interface SampleResult {
  readonly accuracy: number;
  /** The card's line. */
  readonly summary: string;
}

export async function runSample(_options: SampleOptions): Promise<SampleResult> {
  throw new Error('not there yet');
}
