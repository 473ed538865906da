import { Counter, Gauge, Registry } from 'prom-client';

/** What a worker shows under /metrics; no label carries a tenant. */
export function createWorkerMetrics(
  backlog: () => Promise<{ count: number; oldestS: number; stuck: number }>,
) {
  const registry = new Registry();
  const entries = new Counter({
    name: 'visionops_dispatch_entries_total',
    help: 'Dispatch entries by kind and outcome',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  });
  const failures = new Counter({
    name: 'visionops_activity_failures_total',
    help: 'Failed attempts of activities',
    labelNames: ['activity'],
    registers: [registry],
  });
  const paused = new Gauge({
    name: 'visionops_dispatch_paused',
    help: '1 while the dispatcher pauses because Temporal does not answer',
    registers: [registry],
  });
  const oldest = new Gauge({
    name: 'visionops_dispatch_oldest_seconds',
    help: 'Age of the oldest dispatch entry',
    registers: [registry],
  });
  const stuck = new Gauge({
    name: 'visionops_dispatch_stuck',
    help: 'Dispatch entries that failed 20 times or more',
    registers: [registry],
  });
  new Gauge({
    name: 'visionops_dispatch_backlog',
    help: 'Dispatch entries that wait',
    registers: [registry],
    async collect() {
      // Without a database the other metrics are needed most: these keep their last value.
      const now = await backlog().catch(() => null);
      if (now === null) return;
      this.set(now.count);
      oldest.set(now.oldestS);
      stuck.set(now.stuck);
    },
  });
  return { registry, entries, failures, paused };
}
