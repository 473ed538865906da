import type { Arguments } from '../arguments.js';
import { EngineError } from '../engines/engine.js';
import { runSample } from '../sample/run-sample.js';
import { localPlatform } from '../supervisor/local-platform.js';
import { listenForStop } from '../supervisor/stop-signal.js';
import { Progress } from '../terminal/progress.js';

/** Runs or resumes the sample journey on the platform that runs. */
export async function sample(args: Arguments): Promise<number> {
  const { baseUrl, adminEmail } = localPlatform(args.dataDir);
  const stop = listenForStop(() => process.exit(130));
  try {
    await runSample({
      dataDir: args.dataDir,
      baseUrl,
      adminEmail,
      progress: new Progress(process.stdout),
      signal: stop.signal,
    });
  } catch (error) {
    if (stop.signal.aborted)
      throw new EngineError('The sample was interrupted: the same command goes on from here.');
    throw new EngineError(`The sample is not finished: ${(error as Error).message}`);
  }
  return 0;
}
