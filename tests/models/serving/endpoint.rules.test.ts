import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  assertEndpointName,
  assertStartable,
  assertStoppable,
  isAtRest,
  statusAfter,
  mayMove,
} from '../../../models/serving/endpoint.rules.js';
import {
  ENDPOINT_STATUSES,
  type EndpointRow,
  type EndpointStatus,
  type EndpointWish,
} from '../../../models/serving/serving.types.js';

const endpoint = (status: EndpointStatus, wish: EndpointWish = 'run') =>
  ({ name: 'e', status, wish }) as EndpointRow;
const refuses = (act: () => void): boolean => {
  try {
    act();
    return false;
  } catch (error) {
    expect((error as { code: string }).code).toBe('conflict');
    return true;
  }
};

describe('endpoint names', () => {
  it.each(['a', '0', 'a-b', 'x'.repeat(50)])('take %s', (name) =>
    expect(() => assertEndpointName(name)).not.toThrow(),
  );
  it.each(['', '-a', 'a-', 'A', 'a.b', 'a_b', 'x'.repeat(51), 'a/b', 'ä', 'a\n'])('refuse %j', (name) =>
    expect(() => assertEndpointName(name)).toThrow(/DNS-1123/),
  );
  it('make workload names that are DNS labels', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$/), (name) => {
        assertEndpointName(name);
        expect(`ep-${name}-0123abcd`).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
      }),
    );
  });
});

describe('orders to an endpoint', () => {
  it('start only what is STOPPED or FAILED', () => {
    expect(ENDPOINT_STATUSES.filter((status) => !refuses(() => assertStartable(endpoint(status))))).toEqual([
      'FAILED',
      'STOPPED',
    ]);
  });
  it('stop everything but what is STOPPED', () => {
    expect(
      ENDPOINT_STATUSES.filter((status) =>
        refuses(() => assertStoppable(endpoint(status, status === 'STOPPED' ? 'stop' : 'run'))),
      ),
    ).toEqual(['STOPPED']);
  });
  it('are refused while it is being deleted', () => {
    for (const status of ENDPOINT_STATUSES)
      expect([
        refuses(() => assertStartable(endpoint(status, 'delete'))),
        refuses(() => assertStoppable(endpoint(status, 'delete'))),
      ]).toEqual([true, true]);
  });
  it('find it at rest only when what was wished has come', () => {
    expect([
      isAtRest(endpoint('STOPPED', 'stop')),
      isAtRest(endpoint('FAILED', 'none')),
      isAtRest(endpoint('STOPPED', 'run')),
      isAtRest(endpoint('FAILED', 'run')),
      isAtRest(endpoint('RUNNING', 'stop')),
    ]).toEqual([true, true, false, false, false]);
  });
});

describe('judging an endpoint that is to run', () => {
  const seen = { phase: 'running' as const, message: 'm', ready: 1, replicas: 1, isOverdue: false };
  it.each([
    ['CONNECTING', { ...seen, ready: 0 }, 'CONNECTING'],
    ['CONNECTING', seen, 'RUNNING'],
    ['CONNECTING', { ...seen, ready: 0, isOverdue: true }, 'FAILED'],
    ['RUNNING', seen, 'RUNNING'],
    ['RUNNING', { ...seen, replicas: 2 }, 'DEGRADED'],
    ['RUNNING', { ...seen, ready: 0, phase: 'pending' as const }, 'DEGRADED'],
    ['DEGRADED', { ...seen, ready: 0, isOverdue: true }, 'DEGRADED'],
    ['DEGRADED', seen, 'RUNNING'],
    ['DEGRADED', { ...seen, ready: 0, phase: 'failed' as const }, 'FAILED'],
    ['CONNECTING', { ...seen, ready: 0, phase: 'failed' as const }, 'FAILED'],
  ] as const)('%s seeing %j becomes %s', (before, observation, after) =>
    expect(statusAfter(before, observation).status).toBe(after),
  );

  it('never leaves the table of transitions', () => {
    const observations = fc.record({
      phase: fc.constantFrom('pending' as const, 'running' as const, 'failed' as const, 'stopped' as const),
      message: fc.string(),
      ready: fc.nat(4),
      replicas: fc.integer({ min: 1, max: 4 }),
      isOverdue: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.constantFrom('CONNECTING' as const, 'RUNNING' as const, 'DEGRADED' as const),
        observations,
        (before, observation) => mayMove(before, statusAfter(before, observation).status),
      ),
    );
  });
});
