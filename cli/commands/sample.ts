import type { Arguments } from '../arguments.js';
import { EngineError } from '../engines/engine.js';
import { runSample } from '../sample/run-sample.js';
import { dataFiles, readJson } from '../supervisor/files.js';
import { lockHolder } from '../supervisor/lock.js';
import { StateFile } from '../supervisor/state.js';
import { listenForStop } from '../supervisor/stop-signal.js';
import { hint } from '../terminal/hint.js';
import { Progress } from '../terminal/progress.js';

/** Runs or resumes the sample journey on the platform that runs. */
export async function sample(args: Arguments): Promise<number> {
  const facts = readJson(dataFiles(args.dataDir).platform) as {
    base_url: string;
    admin_email: string;
  } | null;
  if (lockHolder(args.dataDir) === null || facts === null)
    throw new EngineError(
      `The platform does not run on ${args.dataDir}: run "${hint('', args.dataDir)}" first, in another terminal.`,
    );
  // Whatever stands in front of the API may not be reachable from here.
  const port = new StateFile(args.dataDir).current.children.api?.ports.http;
  const baseUrl = port === undefined ? facts.base_url : `http://127.0.0.1:${port}`;
  const stop = listenForStop(() => process.exit(130));
  try {
    await runSample({
      dataDir: args.dataDir,
      baseUrl,
      adminEmail: facts.admin_email,
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
