import { openMailer } from '../../adapters/smtp/open-mailer.js';
import type { BackgroundLoop } from '../support/background.js';
import type { WorkerDeps } from '../support/domain-work.js';
import type { createWorkerMetrics } from '../support/worker-metrics.js';
import { Dispatcher, type DispatcherDeps } from './dispatcher.js';
import { createMailRemoval } from './mail-removal.js';

export function wireDispatch(
  deps: WorkerDeps,
  metrics: ReturnType<typeof createWorkerMetrics>,
): BackgroundLoop[] {
  const { database, settings, logger, mails } = deps;
  const dispatching: DispatcherDeps = {
    ...deps,
    mailer: openMailer(settings, logger),
    removeMails: createMailRemoval(database, mails),
    keys: settings.SERVICE_SECRET_KEYS,
    observe: (kind, outcome) => metrics.entries.inc({ kind, outcome }),
  };
  return [
    { name: 'dispatcher', run: (signal) => new Dispatcher(dispatching).run(signal) },
    { name: 'mail-dispatcher', run: (signal) => new Dispatcher(dispatching, 'mail').run(signal) },
  ];
}
