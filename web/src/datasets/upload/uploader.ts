import { type Existing, existingFiles } from './existing-files';
import { PlatformCalls, Stopped } from './platform-calls';
import { type Ended, NotTaken, sendForm, sendSession, sha256Of } from './send-file';
import { Tally } from './tally';
import type { Failure, Job, Report, Wait } from './upload-messages';
import { CHUNK_BYTES, type Dropped, isArchive, isPath, startsAsZip, wayOf } from './upload-plan';

const PARALLEL_FILES = 4;

export interface Surroundings {
  readonly fetch: typeof fetch;
  readonly report: (report: Report) => void;
  readonly now: () => number;
}

/** Sends what was dropped, however often the network, the platform or the person breaks off. It lives in a worker. */
export class Uploader {
  private readonly tally: Tally;
  private readonly calls: PlatformCalls;
  private readonly end = new AbortController();
  private existing = new Map<string, Existing>();
  private resume: (() => void) | null = null;
  private gate: Promise<void> = Promise.resolve();

  constructor(
    private readonly job: Job,
    private readonly around: Surroundings,
  ) {
    this.tally = new Tally(job.entries, around);
    this.calls = new PlatformCalls({
      tenant: job.tenant,
      fetch: around.fetch,
      signal: this.end.signal,
      gate: () => this.passGate(),
      onWait: (wait: Wait | null) => this.tally.setWait(wait),
      sleep: (ms) => this.sleep(ms),
    });
  }

  async start(): Promise<void> {
    await this.run(async () => {
      if (this.job.mayHold) await this.compare();
      await this.sendAll(this.job.entries);
    });
  }

  private async compare(): Promise<void> {
    this.tally.setPhase('listing');
    this.existing = await existingFiles(this.calls, this.job.datasetId);
  }

  /** Sends again what failed. @param paths null: all of it */
  async retry(paths: readonly string[] | null): Promise<void> {
    const again = this.tally.takeFailures(paths);
    const wanted = new Set(again.map(({ path }) => path));
    await this.run(async () => {
      // What stood in the way may have been deleted since.
      await this.compare();
      await this.sendAll(this.job.entries.filter(({ path }) => wanted.has(path)));
    });
  }

  pause(): void {
    if (this.resume !== null) return;
    this.gate = new Promise((open) => {
      this.resume = open;
    });
    this.tally.setPaused(true);
  }

  goOn(): void {
    this.resume?.();
    this.resume = null;
    this.tally.setPaused(false);
  }

  stop(): void {
    this.end.abort();
    this.goOn();
  }

  private async run(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.tally.setPhase(this.tally.failed > 0 ? 'failed' : 'done');
    } catch (error) {
      if (!(error instanceof Stopped)) this.tally.fail({ path: '', ...failureOf(error) });
      this.tally.setPhase(error instanceof Stopped ? 'stopped' : 'failed');
    }
    this.tally.tell();
  }

  /** Small files side by side first; then the large ones, each with its chunks side by side. */
  private async sendAll(entries: readonly Dropped[]): Promise<void> {
    this.tally.setPhase('sending');
    const isLarge = ({ path, file }: Dropped) => isArchive(path) || file.size >= CHUNK_BYTES;
    const small = entries.filter((entry) => !isLarge(entry));
    let next = 0;
    const sender = async () => {
      for (let entry = small[next++]; entry; entry = small[next++]) await this.sendOne(entry);
    };
    await Promise.all(Array.from({ length: PARALLEL_FILES }, sender));
    for (const entry of entries.filter(isLarge)) await this.sendOne(entry);
  }

  private async sendOne(entry: Dropped): Promise<void> {
    const { path, file } = entry;
    await this.passGate();
    this.tally.begin(path);
    try {
      if (!isPath(path)) throw new NotTaken('path', null);
      const there = this.existing.get(path);
      if (there === undefined) this.note(path, await this.send(entry));
      else if (there.size === file.size && there.sha256 === (await sha256Of(file))) this.tally.skip();
      else throw new NotTaken('differs', null);
      this.tally.finish(path, file.size);
    } catch (error) {
      if (error instanceof Stopped || this.end.signal.aborted) throw new Stopped();
      this.tally.fail({ path, ...failureOf(error) });
      this.tally.drop(path);
    }
  }

  private async send(entry: Dropped): Promise<Ended | null> {
    const { path, file } = entry;
    const head = file.size < CHUNK_BYTES ? new Uint8Array() : await file.slice(0, 4).arrayBuffer();
    const way = wayOf(path, file.size, startsAsZip(new Uint8Array(head)));
    if (way === 'form') {
      await sendForm(this.calls, this.job.datasetId, entry);
      return null;
    }
    const kept = this.job.sessions.find(
      (one) => one.path === path && one.size === file.size && one.modified === file.lastModified,
    );
    const ended = await sendSession(entry, {
      calls: this.calls,
      datasetId: this.job.datasetId,
      kept: kept ?? null,
      onSession: (session) => this.around.report({ kind: 'session', session }),
      onBytes: (bytes) => this.tally.addBytes(path, bytes, file.size),
      onHashing: (share) => this.tally.setHashing(path, share),
      onAssembling: (isOn) => this.tally.setAssembling(isOn),
      sleep: (ms) => this.sleep(ms),
    });
    this.around.report({ kind: 'session-over', path });
    return ended;
  }

  private note(path: string, ended: Ended | null): void {
    if (ended === null) return;
    if (isArchive(path)) this.tally.addUnpacked(ended);
    for (const { path: member, message } of ended.errors)
      this.tally.fail({ path: isArchive(path) ? `${path}: ${member}` : path, code: 'refused', message });
  }

  private async passGate(): Promise<void> {
    await this.gate;
    if (this.end.signal.aborted) throw new Stopped();
  }

  private sleep(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      this.end.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(new Stopped());
      });
    });
  }
}

function failureOf(error: unknown): Omit<Failure, 'path'> {
  if (error instanceof NotTaken)
    return { code: error.code, message: error.message === error.code ? null : error.message };
  if (error instanceof DOMException) return { code: 'changed', message: null };
  return { code: 'refused', message: error instanceof Error ? error.message : String(error) };
}
