import { type Existing, existingFiles } from './existing-files';
import { Gate, Stopped } from './gate';
import { PlatformCalls, Refused } from './platform-calls';
import { Inbox, Places } from './inbox';
import { sendBatch } from './send-batch';
import { type Ended, failureOf, messageOf, NotTaken, sendForm, sendSession, sha256Of } from './send-file';
import { Tally } from './tally';
import type { Job, Report, Wait } from './upload-messages';
import {
  CHUNK_BYTES,
  type Dropped,
  fitsBatch,
  isArchive,
  isLarge,
  isPath,
  startsAsZip,
  wayOf,
} from './upload-plan';

const PARALLEL = 4;

export interface Surroundings {
  readonly fetch: typeof fetch;
  readonly report: (report: Report) => void;
  readonly now: () => number;
}

/** Sends what was dropped, however often the network, the platform or the person breaks off. It lives in a worker. */
export class Uploader {
  private readonly tally: Tally;
  private readonly calls: PlatformCalls;
  private readonly gate = new Gate();
  private readonly inbox = new Inbox<Dropped>();
  /** What arrived and is not there yet, by its path. */
  private readonly missing = new Map<string, Dropped>();
  private isRunning = false;
  private existing = new Map<string, Existing>();

  constructor(
    private readonly job: Job,
    private readonly around: Surroundings,
  ) {
    this.tally = new Tally(job, around);
    this.calls = new PlatformCalls({
      tenant: job.tenant,
      person: job.person,
      fetch: around.fetch,
      gate: this.gate,
      onWait: (wait: Wait | null) => this.tally.setWait(wait),
    });
  }

  add(entries: readonly Dropped[]): void {
    for (const entry of entries) this.missing.set(entry.path, entry);
    this.inbox.add(entries);
  }

  /** Everything has arrived. */
  close(): void {
    this.inbox.close();
  }

  async start(): Promise<void> {
    await this.run(async () => {
      if (this.job.mayHold) await this.compare();
      await this.sendAll(this.inbox);
    });
  }

  private async compare(): Promise<void> {
    this.tally.setPhase('listing');
    this.existing = await existingFiles(this.calls, this.job.datasetId);
  }

  /** Sends again what failed, and what a break left unsent. @param paths of what failed; null: all of it */
  async retry(paths: readonly string[] | null): Promise<void> {
    if (this.isRunning) return;
    this.tally.forgetFailures(paths);
    this.tally.forgetBreak();
    this.inbox.refill(this.untried());
    await this.run(async () => {
      // What stood in the way may have been deleted since.
      await this.compare();
      await this.sendAll(this.inbox);
    });
  }

  /** Neither there nor failed. */
  private untried(): Dropped[] {
    const failed = this.tally.failedPaths;
    return [...this.missing.values()].filter(({ path }) => !failed.has(path));
  }

  pause(): void {
    if (this.gate.close()) this.tally.setPaused(true);
  }

  goOn(): void {
    this.gate.open();
    this.tally.setPaused(false);
  }

  stop(): void {
    this.gate.stop();
    this.inbox.close();
    this.tally.setPaused(false);
  }

  private async run(work: () => Promise<void>): Promise<void> {
    this.isRunning = true;
    try {
      await work();
      this.tally.setPhase(this.tally.isWhole ? 'done' : 'failed');
    } catch (error) {
      if (!(error instanceof Stopped)) this.tally.breakOff(messageOf(error));
      this.tally.setPhase(error instanceof Stopped ? 'stopped' : 'failed');
    }
    this.isRunning = false;
    this.tally.report();
  }

  /** Small files first, many in one request; then the large ones, each with its chunks side by side. */
  private async sendAll(inbox: Inbox<Dropped>): Promise<void> {
    this.tally.setPhase('sending');
    const large: Dropped[] = [];
    const places = new Places(PARALLEL);
    for (let batch = await inbox.take(fitsBatch); batch !== null; batch = await inbox.take(fitsBatch)) {
      await this.gate.pass();
      large.push(...batch.filter(isLarge));
      const small = batch.filter((entry) => !isLarge(entry));
      if (small.length > 0) await places.run(() => this.sendSmall(small));
    }
    await places.idle();
    for (const entry of large) await this.sendOne(entry);
  }

  private async sendSmall(entries: readonly Dropped[]): Promise<void> {
    const [first] = entries;
    if (entries.length === 1 && first) return this.sendOne(first);
    const label = `${first?.path} (${entries.length})`;
    this.tally.begin(label);
    const fresh: Dropped[] = [];
    try {
      for (const entry of entries) if (await this.isFresh(entry)) fresh.push(entry);
      if (fresh.length < 2) return await this.sendEach(fresh);
      const { unread, refused } = await sendBatch(this.calls, this.job.datasetId, fresh);
      for (const entry of fresh) {
        const message = refused.get(entry.path);
        if (message !== undefined) this.fail(entry, new NotTaken('refused', message));
        else if (unread.includes(entry)) this.fail(entry, new NotTaken('changed', null));
        else this.count(entry);
      }
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      // One of them spoils the archive: each by itself says which.
      await this.sendEach(fresh);
    } finally {
      this.tally.drop(label);
    }
  }

  private async sendEach(entries: readonly Dropped[]): Promise<void> {
    for (const entry of entries) await this.sendOne(entry);
  }

  /** False for a file that is there already, or that cannot be taken, which is recorded. */
  private async isFresh(entry: Dropped): Promise<boolean> {
    await this.gate.pass();
    const { path, file, size } = entry;
    const there = this.existing.get(path);
    if (isPath(path) && there === undefined) return true;
    try {
      if (!isPath(path)) throw new NotTaken('path', null);
      if (there?.size !== size || there.sha256 !== (await sha256Of(file)))
        throw new NotTaken('differs', null);
      this.tally.skip();
      this.count(entry);
    } catch (error) {
      this.fail(entry, error);
    }
    return false;
  }

  private count({ path, size }: Dropped): void {
    this.missing.delete(path);
    this.tally.count(path, size);
  }

  private fail({ path }: Dropped, error: unknown): void {
    this.tally.fail({ path, ...failureOf(error) });
    this.tally.drop(path);
  }

  private async sendOne(entry: Dropped): Promise<void> {
    if (!(await this.isFresh(entry))) return;
    const { path } = entry;
    this.tally.begin(path);
    try {
      this.note(path, await this.send(entry));
      this.count(entry);
    } catch (error) {
      if (error instanceof Stopped || this.gate.isStopped) throw new Stopped();
      this.fail(entry, error);
    }
  }

  private async send(entry: Dropped): Promise<Ended | null> {
    const { path, file, size } = entry;
    const head = size < CHUNK_BYTES ? new Uint8Array() : await file.slice(0, 4).arrayBuffer();
    const way = wayOf(path, size, startsAsZip(new Uint8Array(head)));
    if (way === 'form') {
      await sendForm(this.calls, this.job.datasetId, entry);
      return null;
    }
    const kept = this.job.sessions.find(
      (one) => one.path === path && one.size === size && one.modified === file.lastModified,
    );
    const ended = await sendSession(entry, {
      calls: this.calls,
      datasetId: this.job.datasetId,
      kept: kept ?? null,
      onSession: (session) => this.around.report({ kind: 'session', session }),
      onBytes: (bytes) => this.tally.addBytes(path, bytes, size),
      onHashing: (share) => this.tally.setHashing(path, share),
      onAssembling: (isOn) => this.tally.setAssembling(isOn),
      sleep: (ms) => this.gate.sleep(ms),
    });
    this.around.report({ kind: 'session-over', path });
    return ended;
  }

  /** @throws NotTaken for a file that was refused after all of it had arrived */
  private note(path: string, ended: Ended | null): void {
    if (ended === null) return;
    const { errors } = ended;
    if (!isArchive(path)) {
      if (errors[0]) throw new NotTaken('refused', errors[0].message);
      return;
    }
    this.tally.addUnpacked(ended);
    for (const { path: member, message } of errors)
      this.tally.fail({ path, member, code: 'refused', message });
  }
}
