import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { startOpsServer } from '../../activities/support/ops-server.js';

describe('the metrics of a process', () => {
  it('are kept from the first reading on, which has figures already', async () => {
    const registry = new Registry();
    const server = await startOpsServer({ port: 0, registry, lostLogLines: () => 7, checks: {} });
    try {
      expect(registry.getMetricsAsArray().map(({ name }) => name)).toEqual([
        'visionops_log_lines_lost_total',
      ]);
      const text = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
      expect(text).toMatch(/^visionops_log_lines_lost_total 7$/m);
      const lag = Number(/^nodejs_eventloop_lag_min_seconds (\S+)$/m.exec(text)?.[1]);
      expect(lag).toBeGreaterThan(0);
      expect(lag).toBeLessThan(10);
      expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
    } finally {
      await server.close();
    }
  });
});
