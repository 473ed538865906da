import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { existsSync } from 'node:fs';
import type { Logger } from '../../core/logging/logger.js';
import type { RuntimeAvailability } from '../../core/ports/workload-runner.js';
import { locatePython, type Python, PYTHON_MISSING } from './python-locator.js';
import { AppError } from '../../core/errors/app-error.js';
import { environmentSize, roomProblem, sizeText, statedSize } from './environment-size.js';
import { optInProblem } from './opt-in-runtime.js';
import { ensureRuntimeVenv, isEnvironmentReady, type RuntimeEnvironment } from './runtime-environment.js';

/** Until a workload that waits makes the next try. */
const RETRY_MS = 30_000;
/** Until the runtime is offered again although the last try failed. */
const FORGET_MS = 600_000;

/** The environments of all runtimes, prepared in the background when first asked for. */
export class RuntimeEnvironments {
  private readonly ready = new Map<string, RuntimeEnvironment>();
  private readonly notes = new Map<string, string>();
  private readonly pending = new Map<string, Promise<void>>();
  private readonly failures = new Map<string, { readonly reason: string; readonly at: number }>();

  constructor(
    private readonly runtimesDir: string,
    private readonly cacheDir: string,
    private readonly switchedOn: readonly string[],
    private readonly logger: Logger,
    /** Called when one becomes ready, so that waiting workloads start at once. */
    private readonly onReady: () => void,
  ) {}

  /** The environment, or the note that says why workloads of this runtime wait. */
  get(runtime: string): RuntimeEnvironment | { readonly note: string } {
    const found = this.ready.get(runtime);
    if (found !== undefined && existsSync(found.python) && existsSync(found.shim)) return found;
    if (!this.pending.has(runtime)) this.pending.set(runtime, this.prepare(runtime));
    return { note: this.notes.get(runtime) ?? `Preparing the runtime ${runtime}.` };
  }

  private async prepare(runtime: string): Promise<void> {
    try {
      const off = await optInProblem(this.runtimesDir, runtime, this.switchedOn);
      if (off !== null) throw new AppError('service_unavailable', off);
      const size = sizeText(await environmentSize(this.runtimesDir, runtime));
      const onProgress = ({ text }: { text: string }) =>
        this.notes.set(runtime, `Preparing the runtime ${runtime} (${size}): ${text}.`);
      onProgress({ text: 'Beginning' });
      this.ready.set(
        runtime,
        await ensureRuntimeVenv({
          runtime,
          runtimesDir: this.runtimesDir,
          cacheDir: this.cacheDir,
          onProgress,
        }),
      );
      this.notes.delete(runtime);
      this.failures.delete(runtime);
      this.pending.delete(runtime);
      this.onReady();
    } catch (error) {
      this.notes.set(runtime, (error as Error).message);
      this.failures.set(runtime, { reason: (error as Error).message, at: Date.now() });
      this.logger.error({ err: error, runtime }, 'A runtime cannot be prepared.');
      setTimeout(() => this.pending.delete(runtime), RETRY_MS).unref();
    }
  }

  async list(): Promise<RuntimeAvailability[]> {
    const python = await locatePython();
    const names = await readdir(this.runtimesDir).catch(() => [] as string[]);
    const runtimes = names.filter((name) => existsSync(join(this.runtimesDir, name, 'requirements.txt')));
    return Promise.all(
      runtimes.sort().map(async (runtime) => {
        const off = await optInProblem(this.runtimesDir, runtime, this.switchedOn);
        if (off !== null) return { runtime, available: false, reason: off, isOff: true };
        if (python === null) return { runtime, available: false, reason: PYTHON_MISSING };
        if (await this.isMade(runtime, python)) return { runtime, available: true, reason: null };
        const reason = await this.problem(runtime);
        // What takes next to nothing needs no word.
        const isLarge = (await statedSize(this.runtimesDir, runtime)) !== null;
        return { runtime, available: reason === null, reason, ...(isLarge ? { isUnmade: true } : {}) };
      }),
    );
  }

  private async isMade(runtime: string, python: Python): Promise<boolean> {
    const { runtimesDir, cacheDir } = this;
    return this.ready.has(runtime) || isEnvironmentReady({ runtimesDir, runtime, cacheDir }, python);
  }

  /** Why this host cannot make the environment of a runtime; null where it can. */
  private async problem(runtime: string): Promise<string | null> {
    const { runtimesDir, cacheDir } = this;
    const failure = this.failures.get(runtime);
    if (failure !== undefined && Date.now() - failure.at < FORGET_MS) return failure.reason;
    if (this.pending.has(runtime)) return null;
    const room = await roomProblem(cacheDir, await environmentSize(runtimesDir, runtime));
    return room === null ? null : `The runtime ${runtime} cannot be made here: ${room}`;
  }
}
