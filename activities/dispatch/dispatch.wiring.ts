import { openMailer } from '../../adapters/smtp/open-mailer.js';
import type { BackgroundLoop } from '../support/background.js';
import type { WorkerDeps } from '../support/domain-work.js';
import type { createWorkerMetrics } from '../support/worker-metrics.js';
import { Circuit } from './circuit.js';
import { Dispatcher, type DispatcherDeps } from './dispatcher.js';
import { createMailRemoval } from './mail-removal.js';

export function wireDispatch(
  deps: WorkerDeps,
  metrics: ReturnType<typeof createWorkerMetrics>,
): BackgroundLoop[] {
  const { database, settings, logger, mails, engine } = deps;
  const circuit = new Circuit({
    reach: () => engine.reach(),
    onChange: (state, reason) => {
      metrics.paused.set(circuit.isOpen ? 1 : 0);
      logger[state === 'open' ? 'error' : 'info']({ state, reason }, 'circuit to Temporal changed');
    },
  });
  const dispatching: DispatcherDeps = {
    ...deps,
    circuit,
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
