import { type Arguments, UsageError } from '../arguments.js';
import { EngineError } from '../engines/engine.js';
import { importMlflow } from '../import/import-mlflow.js';
import type { ImportJob } from '../import/import-job.js';
import { withImportToken } from '../import/import-token.js';
import { type ServerAddress, TrackerRefusal, TrackerServer } from '../import/tracker-server.js';
import { listenForStop } from '../supervisor/stop-signal.js';
import { hint } from '../terminal/hint.js';
import { Progress } from '../terminal/progress.js';

const MOST_NAMED = 20;
const SIGN_IN =
  'set MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, to those of somebody who may read there.';

/** Copies experiments, runs, artifacts and models of another MLflow server into a tenant. Exit code 1 when something was left out. */
export async function importFrom(args: Arguments): Promise<number> {
  const [what] = args.files;
  if (what !== 'mlflow' || args.own.from === undefined)
    throw new UsageError(
      `import needs what and where from: ${hint('import mlflow --from URL', args.dataDir)}`,
    );
  const source: ServerAddress = {
    ...{ role: 'The other server', url: addressOf(args.own.from), hint: SIGN_IN },
    authorization: sourceCredentials(process.env),
  };
  const progress = new Progress(process.stdout);
  const stop = listenForStop(() => process.exit(130));
  try {
    const job = await withImportToken(args, stop.signal, (target) =>
      importMlflow(new TrackerServer(source, stop.signal), new TrackerServer(target, stop.signal), progress),
    );
    return conclude(job, progress);
  } catch (error) {
    if (stop.signal.aborted)
      throw new EngineError('The import was interrupted: the same command goes on from here.');
    if (error instanceof TrackerRefusal)
      throw new EngineError(
        `${error.message}. See that --from is what clients there have as MLFLOW_TRACKING_URI, then run the same command again.`,
      );
    throw error;
  } finally {
    stop.release();
  }
}

function conclude({ counts, problems }: ImportJob, progress: Progress): number {
  const megabytes = (counts.bytes / 1e6).toFixed(1);
  progress.say(
    `Here are ${counts.experiments} experiments, ${counts.runs} runs, ${counts.loggedModels} logged models and ${counts.versions} ` +
      `versions of ${counts.models} models. Copied now: ${counts.metrics} metric values, ${counts.files} files (${megabytes} MB).`,
  );
  if (problems.length === 0) return 0;
  progress.say(
    `NOT WHOLE: ${problems.length} were left out; run the same command again once they can be read:`,
  );
  for (const problem of problems.slice(0, MOST_NAMED)) progress.say(`  ${problem}`);
  if (problems.length > MOST_NAMED) progress.say(`  and ${problems.length - MOST_NAMED} more`);
  return 1;
}

/** As clients spell it, without a slash at its end. @throws UsageError */
function addressOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--from must be an address such as http://mlflow.example.com:5000, not "${text}".`);
  if (url.username !== '' || url.password !== '')
    throw new UsageError(`Leave user and password out of --from: ${SIGN_IN}`);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function sourceCredentials(env: NodeJS.ProcessEnv): string | null {
  if (env.MLFLOW_TRACKING_TOKEN) return `Bearer ${env.MLFLOW_TRACKING_TOKEN}`;
  const { MLFLOW_TRACKING_USERNAME: user, MLFLOW_TRACKING_PASSWORD: password } = env;
  return user && password ? `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` : null;
}
