import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { startOpsServer } from '../../../adapters/ops/ops-server.js';
import { Readiness } from '../../../core/health/readiness.js';

/** An address of this machine other than the usual one. */
const ELSEWHERE = '127.0.0.9';

describe('the metrics of a process', () => {
  it('are kept from the first reading on, which has figures already', async () => {
    const registry = new Registry();
    const server = await startOpsServer({
      host: '127.0.0.1',
      port: 0,
      registry,
      lostLogLines: () => 7,
      readiness: new Readiness({ checks: {} }),
    });
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

describe('the probes of a process', () => {
  const start = async (readiness: Readiness, host: string) => {
    const server = await startOpsServer({
      ...{ host, port: 0, registry: new Registry(), readiness },
      lostLogLines: () => 0,
    });
    const ask = async (path: string) => {
      const answer = await fetch(`http://${host}:${server.port}${path}`);
      return [answer.status, await answer.json()];
    };
    return { server, ask };
  };

  it('answer where they are asked to, and nowhere else', async () => {
    const { server, ask } = await start(new Readiness({ checks: {} }), ELSEWHERE);
    try {
      expect(await ask('/livez')).toEqual([200, { status: 'ok' }]);
      await expect(fetch(`http://127.0.0.1:${server.port}/livez`)).rejects.toThrow();
    } finally {
      await server.close();
    }
  });

  it('say why a process is not ready, and note what keeps nobody from being served', async () => {
    const checks = {
      database: () => Promise.reject(new Error('It is away.')),
      store: () => Promise.resolve(),
    };
    const notes = { notifications: () => Promise.reject(new Error('Nothing is heard.')) };
    const { server, ask } = await start(new Readiness({ checks, notes }), '127.0.0.1');
    try {
      expect(await ask('/readyz')).toEqual([
        503,
        {
          ready: false,
          checks: { database: 'It is away.', store: 'ok', notifications: 'Nothing is heard.' },
        },
      ]);
      expect(await ask('/livez')).toEqual([200, { status: 'ok' }]);
    } finally {
      await server.close();
    }
  });
});
