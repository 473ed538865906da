import { Speed } from './speed';
import {
  type Break,
  canRetry,
  type Failure,
  type Job,
  type Phase,
  type Progress,
  type Report,
  type Wait,
} from './upload-messages';

const REPORT_MS = 250;

interface Clock {
  readonly report: (report: Report) => void;
  readonly now: () => number;
}

/** Counts what an upload has done and reports it four times a second at most. */
export class Tally {
  private phase: Phase = 'listing';
  private isPaused = false;
  private isAssembling = false;
  private wait: Wait | null = null;
  private filesDone = 0;
  private skipped = 0;
  private bytesDone = 0;
  private unpacked: { created: number; skipped: number } | null = null;
  private readonly now = new Map<string, { bytes: number; share: number; isHashing: boolean }>();
  private failures: Failure[] = [];
  private broken: Break | null = null;
  private areFailuresReported = true;
  private readonly speed = new Speed();
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly all: Pick<Job, 'files' | 'bytes'>,
    private readonly clock: Clock,
  ) {}

  get isWhole(): boolean {
    return this.failures.length === 0 && this.broken === null;
  }

  /** Files that can be tried again. */
  get failedPaths(): ReadonlySet<string> {
    return new Set(this.failures.filter(canRetry).map(({ path }) => path));
  }

  /** What is neither there nor failed was not sent. */
  breakOff(message: string): void {
    this.broken = { files: this.all.files - this.filesDone - this.failedPaths.size, message };
  }

  forgetBreak(): void {
    this.broken = null;
  }

  setPhase(phase: Phase): void {
    this.phase = phase;
    this.wait = null;
    this.speed.reset();
    this.later();
  }

  setPaused(isPaused: boolean): void {
    this.isPaused = isPaused;
    this.speed.reset();
    this.report();
  }

  setAssembling(isAssembling: boolean): void {
    this.isAssembling = isAssembling;
    this.later();
  }

  setWait(wait: Wait | null): void {
    if (wait === this.wait) return;
    this.wait = wait;
    this.later();
  }

  begin(path: string): void {
    this.now.set(path, { bytes: 0, share: 0, isHashing: false });
    this.later();
  }

  setHashing(path: string, share: number | null): void {
    const one = this.now.get(path);
    if (one) this.now.set(path, { ...one, share: share ?? 0, isHashing: share !== null });
    this.later();
  }

  addBytes(path: string, bytes: number, size: number): void {
    const one = this.now.get(path);
    if (!one) return;
    const sent = Math.min(size, one.bytes + bytes);
    this.bytesDone += sent - one.bytes;
    this.now.set(path, { bytes: sent, share: size === 0 ? 1 : sent / size, isHashing: false });
    this.later();
  }

  skip(): void {
    this.skipped += 1;
  }

  /** A file that is there, whatever of its bytes counted on the way. */
  count(path: string, size: number): void {
    this.bytesDone += size - (this.now.get(path)?.bytes ?? 0);
    this.filesDone += 1;
    this.now.delete(path);
    this.later();
  }

  addUnpacked({ created, skipped }: { readonly created: number; readonly skipped: number }): void {
    const before = this.unpacked ?? { created: 0, skipped: 0 };
    this.unpacked = { created: before.created + created, skipped: before.skipped + skipped };
  }

  /** A file that did not get there counts with none of its bytes. */
  drop(path: string): void {
    this.bytesDone -= this.now.get(path)?.bytes ?? 0;
    this.now.delete(path);
    this.later();
  }

  fail(failure: Failure): void {
    this.failures.push(failure);
    this.areFailuresReported = false;
    this.later();
  }

  /** @param paths null: all */
  forgetFailures(paths: readonly string[] | null): void {
    const wanted = paths && new Set(paths);
    this.failures = this.failures.filter(
      (one) => !canRetry(one) || (wanted !== null && !wanted.has(one.path)),
    );
    this.areFailuresReported = false;
  }

  report(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.speed.add(this.clock.now(), this.bytesDone);
    this.clock.report({
      kind: 'progress',
      progress: this.progress(),
      failures: this.areFailuresReported ? null : [...this.failures],
    });
    this.areFailuresReported = true;
  }

  private later(): void {
    this.timer ??= setTimeout(() => this.report(), REPORT_MS);
  }

  private progress(): Progress {
    return {
      phase: this.shownPhase(),
      files: this.all.files,
      filesDone: this.filesDone,
      skipped: this.skipped,
      bytes: this.all.bytes,
      bytesDone: this.bytesDone,
      failed: this.failures.length,
      broken: this.broken,
      rate: this.phase === 'sending' && !this.isPaused ? this.speed.rate : null,
      secondsLeft: this.phase === 'sending' ? this.speed.secondsFor(this.all.bytes - this.bytesDone) : null,
      wait: this.wait,
      now: [...this.now].map(([path, { share, isHashing }]) => ({ path, share, isHashing })),
      unpacked: this.unpacked,
    };
  }

  private shownPhase(): Phase {
    if (this.phase !== 'listing' && this.phase !== 'sending') return this.phase;
    if (this.isPaused) return 'paused';
    if (this.wait !== null) return 'waiting';
    return this.isAssembling && this.now.size <= 1 ? 'assembling' : this.phase;
  }
}
