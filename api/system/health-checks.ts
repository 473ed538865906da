import type { HealthCheck } from '../../core/ports/health-check.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { orchestratorCheck } from './host-health.js';
import { dispatchCheck, workerCheck } from './worker-health.js';

/** How to ask what the API itself does not hold; throws when the component is down. */
export interface HealthProbes {
  /** Why no notifications of the database arrive, null when they do. */
  readonly listening: () => string | null;
  readonly objectStore: () => Promise<void>;
  readonly temporal: () => Promise<string>;
  /** What is said of workflows whose tasks fail again and again; null when there are none. */
  readonly failingWorkflows: () => Promise<string | null>;
  readonly mail: (signal: AbortSignal) => Promise<string>;
}

/** Everything the platform depends on, in the order it is shown. */
export function healthChecks(db: Database, probes: HealthProbes): HealthCheck[] {
  const check = (name: string, hint: string, ask: (signal: AbortSignal) => Promise<string>): HealthCheck => ({
    name,
    hint,
    run: async (signal) => ({ status: 'ok', message: await ask(signal) }),
  });
  return [
    check('database', 'Look at the PostgreSQL server and DATABASE_URL.', async () => {
      await db.ping();
      return 'Answers.';
    }),
    {
      name: 'notifications',
      hint: 'The connection is made again by itself once the database answers; requests take longer meanwhile.',
      run: async () => {
        const problem = probes.listening();
        return problem === null
          ? { status: 'ok', message: 'Hears what it sends to itself.' }
          : { status: 'degraded', message: `Nothing is cached and events are delayed: ${problem}.` };
      },
    },
    check('object_store', 'Look at the object store, S3_ENDPOINT, S3_BUCKET and the keys.', async () => {
      await probes.objectStore();
      return 'The bucket answers.';
    }),
    check(
      'temporal',
      'Look at the Temporal server, TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE.',
      probes.temporal,
    ),
    {
      name: 'workflow_tasks',
      hint: 'Read the log of the workers for the workflow id. A workflow of another version of the code goes on with that version: roll back, or repair the code.',
      run: async () => {
        const failing = await probes.failingWorkflows().catch(() => undefined);
        if (failing === undefined)
          return { status: 'degraded', message: 'Not known while Temporal does not answer.' };
        return failing === null
          ? { status: 'ok', message: 'No workflow is held up by its own code.' }
          : { status: 'degraded', message: failing };
      },
    },
    workerCheck(db),
    dispatchCheck(db),
    orchestratorCheck(db),
    check('mail', 'Look at SMTP_URL, or at the mail directory below SERVICE_DATA_DIR.', probes.mail),
  ];
}
