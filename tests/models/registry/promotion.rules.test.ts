import { describe, expect, it } from '@jest/globals';
import { parseSpan } from '../../../core/time/parse-span.js';
import { isLessBetter, kpisOf, missedTargets } from '../../../models/registry/promotion/kpi.rules.js';
import {
  checkArtifact,
  checkSmoke,
  checkStage,
  checkVersion,
  failureOf,
} from '../../../models/registry/promotion/promotion-check.rules.js';
import { assertDecidable } from '../../../models/registry/promotion/promotion-decision.rules.js';
import {
  assertConditions,
  assertPromotable,
  assertSameVersion,
} from '../../../models/registry/promotion/promotion-request.rules.js';
import { nextStep } from '../../../models/registry/promotion/promotion-state.rules.js';
import type {
  PromotionStatus,
  RollbackCondition,
} from '../../../models/registry/promotion/promotion.types.js';
import {
  holds,
  isDue,
  isGap,
  measuredValue,
  unmeasured,
  watchMs,
} from '../../../models/registry/promotion/rollback.rules.js';

const NOW = new Date('2026-11-25T12:00:00Z');
const later = (ms: number) => new Date(NOW.getTime() + ms);
const code = (wanted: string) => expect.objectContaining({ code: wanted });
const condition = (over: Partial<RollbackCondition> = {}): RollbackCondition => ({
  ...{ metric: 'accuracy', op: '<', value: 0.9, for: '15m' },
  ...over,
});

describe('spans', () => {
  it('are an integer with a unit', () => {
    expect(['1m', '2h', '7d'].map(parseSpan)).toEqual([60_000, 7_200_000, 604_800_000]);
    for (const bad of ['', 'm', '0m', '1.5h', '-1d', '1s', '1 m', '123456m'])
      expect(parseSpan(bad)).toBeNull();
  });
});

describe('KPIs', () => {
  it('are better when higher, save times and errors', () => {
    expect(['latency_p95_ms', 'error_rate', 'val_loss', 'rmse', 'startup_s'].every(isLessBetter)).toBe(true);
    expect(['map50', 'accuracy', 'f1', 'iou', 'lossless_share'].some(isLessBetter)).toBe(false);
    const targets = { map50: 0.6, latency_p95_ms: 200, unknown: 1 };
    expect(missedTargets({ map50: 0.6, latency_p95_ms: 200 }, targets)).toEqual([]);
    expect(missedTargets({ map50: 0.59, latency_p95_ms: 201 }, targets).map(({ name }) => name)).toEqual([
      'map50',
      'latency_p95_ms',
    ]);
    expect(kpisOf({ kpis: { a: 1, b: 'x', c: null } })).toEqual({ a: 1 });
    expect([kpisOf(null), kpisOf({ kpis: 3 })]).toEqual([{}, {}]);
  });
});

describe('machine checks', () => {
  it('are skipped where there is nothing to be checked, and name what fails', () => {
    const smoke = (kpis: object) => [{ name: 'digits', validation: { kpis } }];
    expect(checkSmoke(smoke({ map50: 0.1 }), {}).result).toBe('skipped');
    expect(checkSmoke([{ name: 'digits', validation: null }], { map50: 0.6 }).result).toBe('skipped');
    expect(checkSmoke(smoke({ map50: 0.7 }), { map50: 0.6 }).result).toBe('passed');
    const missed = checkSmoke(smoke({ map50: 0.5 }), { map50: 0.6 });
    expect([missed.result, missed.message]).toEqual([
      'failed',
      'Smoke KPIs miss their targets: map50 of endpoint digits is 0.5, its target 0.6.',
    ]);
    const green = [checkVersion('m', 1, true), checkArtifact(2, null), checkStage('Staging')];
    expect(failureOf(green)).toBeNull();
    expect(failureOf([...green, missed])).toBe(missed.message);
    expect(failureOf([checkStage('Archived')])).toMatch(/Archived/);
  });
});

describe('a request', () => {
  it('names one version, sane conditions, and nothing that is in Production', () => {
    expect(() => assertSameVersion(2, 2)).not.toThrow();
    expect(() => assertSameVersion(2, 3)).toThrow(code('unprocessable_entity'));
    expect(() => assertConditions([condition()])).not.toThrow();
    for (const bad of [{ metric: '' }, { metric: 'a b' }, { value: Number.NaN }, { for: '15' }])
      expect(() => assertConditions([condition(bad)])).toThrow(code('unprocessable_entity'));
    expect(() => assertPromotable('Production')).toThrow(code('conflict'));
    expect(() => assertPromotable('None')).not.toThrow();
  });

  it('is approved by a second person, once and in time', () => {
    const waits = { status: 'WAITING_APPROVAL', createdBy: 'ada', decision: null, expiresAt: later(1) };
    expect(() => assertDecidable(waits, 'approve', 'bob', NOW)).not.toThrow();
    expect(() => assertDecidable(waits, 'approve', 'ada', NOW)).toThrow(code('forbidden'));
    expect(() => assertDecidable(waits, 'reject', 'ada', NOW)).not.toThrow();
    for (const late of [{ status: 'APPLIED' }, { decision: 'reject' }, { expiresAt: NOW }])
      expect(() => assertDecidable({ ...waits, ...late }, 'approve', 'bob', NOW)).toThrow(code('conflict'));
  });
});

describe('the next step', () => {
  const row = (status: PromotionStatus, over: object = {}) => ({
    ...{ status, expiresAt: null, decision: null, isWatched: false },
    ...over,
  });
  it('is what the row asks for, from wherever an earlier workflow left it', () => {
    const of = (...given: Parameters<typeof row>) => {
      const { step, waitMs } = nextStep(row(...given), NOW, 15_000);
      return `${step} ${waitMs}`;
    };
    expect(of('PENDING_CHECKS')).toBe('check 0');
    expect(of('WAITING_APPROVAL', { expiresAt: later(5000) })).toBe('decide 5000');
    expect(of('WAITING_APPROVAL', { expiresAt: later(-5000) })).toBe('decide 0');
    expect(of('WAITING_APPROVAL', { expiresAt: later(5000), decision: 'approve' })).toBe('decide 0');
    expect(of('APPROVED')).toBe('apply 0');
    expect(of('APPLIED')).toBe('end 0');
    expect(of('APPLIED', { isWatched: true })).toBe('watch 15000');
    for (const ended of ['REJECTED', 'EXPIRED', 'FAILED', 'ROLLED_BACK'] as const)
      expect(of(ended, { isWatched: true })).toBe('end 0');
  });
});

describe('rollback conditions', () => {
  const measured = {
    ...{ requests: 100, isInstalled: true, latencyP50Ms: 20, latencyP95Ms: 90, confidenceMean: 0.8 },
    ...{ judged: 40, accuracy: 0.7, driftPsi: 0.3 },
  };
  it('hold by their operator, for known values alone', () => {
    expect(holds(condition(), 0.89)).toBe(true);
    expect(holds(condition(), 0.9)).toBe(false);
    expect(holds(condition({ op: '<=' }), 0.9)).toBe(true);
    expect(holds(condition({ op: '>' }), 0.9)).toBe(false);
    expect(holds(condition({ op: '>=' }), 0.9)).toBe(true);
    expect(holds(condition(), null)).toBe(false);
  });

  it('are due once the version has been in Production for the whole span', () => {
    expect([isGap(180_000, [condition()]), isGap(180_001, [condition()])]).toEqual([false, true]);
    expect(isDue(condition(), later(-15 * 60_000), NOW)).toBe(true);
    expect(isDue(condition(), later(-15 * 60_000 + 1), NOW)).toBe(false);
  });

  it('are looked at four times within the shortest span, within bounds', () => {
    expect(watchMs([condition({ for: '1m' }), condition()])).toBe(15_000);
    expect(watchMs([condition({ for: '7d' })])).toBe(60_000);
    expect(watchMs([])).toBe(60_000);
  });

  it('ask records where these know the metric and are enough, otherwise the smoke', () => {
    const of = (metric: string, over: object = {}, smoke: number | null = null) =>
      measuredValue(metric, { ...measured, ...over }, smoke);
    expect(
      ['accuracy', 'latency_p95_ms', 'confidence_mean', 'drift_psi', 'requests'].map((m) => of(m)),
    ).toEqual([0.7, 90, 0.8, 0.3, 100]);
    expect(of('accuracy', { judged: 29 })).toBeNull();
    expect(of('accuracy', { judged: 29 }, 0.5)).toBe(0.5);
    expect(of('requests', { requests: 0 })).toBe(0);
    expect(of('requests', { requests: 0, isInstalled: false })).toBeNull();
    expect([of('map50'), of('map50', {}, 0.4)]).toEqual([null, 0.4]);
  });

  it('name what neither records nor a smoke measures', () => {
    const asked = ['requests', 'drift_psi', 'map50', 'miou', 'miou'].map((metric) => condition({ metric }));
    expect(unmeasured(asked, [{}, { map50: 0.4 }])).toEqual(['miou']);
    const lacking = ['accuracy', 'drift_psi'];
    expect(unmeasured(asked, [{ map50: 0.4 }], lacking)).toEqual(['drift_psi', 'miou']);
    expect(unmeasured([condition()], [{ accuracy: 0.9 }], lacking)).toEqual([]);
  });
});
