import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { existsSync } from 'node:fs';
import type { Logger } from '../../core/logging/logger.js';
import type { RuntimeAvailability } from '../../core/ports/workload-runner.js';
import { locatePython, PYTHON_MISSING } from './python-locator.js';
import { ensureRuntimeVenv, type RuntimeEnvironment } from './runtime-environment.js';

const RETRY_MS = 30_000;

/** The environments of all runtimes, prepared in the background when first asked for. */
export class RuntimeEnvironments {
  private readonly ready = new Map<string, RuntimeEnvironment>();
  private readonly notes = new Map<string, string>();
  private readonly pending = new Map<string, Promise<void>>();

  constructor(
    private readonly runtimesDir: string,
    private readonly cacheDir: string,
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
      const onProgress = ({ text }: { text: string }) =>
        this.notes.set(runtime, `Preparing the runtime ${runtime}: ${text}.`);
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
      this.pending.delete(runtime);
      this.onReady();
    } catch (error) {
      this.notes.set(runtime, (error as Error).message);
      this.logger.error({ err: error, runtime }, 'A runtime cannot be prepared.');
      setTimeout(() => this.pending.delete(runtime), RETRY_MS).unref();
    }
  }

  async list(): Promise<RuntimeAvailability[]> {
    const python = await locatePython();
    const names = await readdir(this.runtimesDir).catch(() => [] as string[]);
    return names
      .filter((name) => existsSync(join(this.runtimesDir, name, 'requirements.txt')))
      .sort()
      .map((runtime) => ({
        runtime,
        available: python !== null,
        reason: python === null ? PYTHON_MISSING : null,
      }));
  }
}
