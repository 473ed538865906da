import { describe, expect, it } from '@jest/globals';
import { fieldValue, tooFewText } from '../../../models/deployments/devices/field-metrics.rules.js';

describe('what a version showed on devices', () => {
  const measured = {
    ...{ requests: 40, latencies: 30, confidences: 29 },
    ...{ latencyP50Ms: 5, latencyP95Ms: 9, confidenceMean: 0.1, errorRate: 0.5 },
  };

  it('counts for a metric only where enough records have a value of it', () => {
    expect(fieldValue('latency_p95_ms', measured)).toBe(9);
    expect(fieldValue('confidence_mean', measured)).toBeNull();
    expect(fieldValue('error_rate', measured)).toBe(0.5);
    expect(fieldValue('error_rate', { ...measured, requests: 29 })).toBeNull();
    expect(fieldValue('requests', { ...measured, requests: 0 })).toBe(0);
    expect(fieldValue('nothing', measured)).toBeNull();
  });

  it('says which metric has too few records', () => {
    expect(tooFewText('confidence_mean', measured)).toBe('29 of 30 records for confidence_mean');
    expect(['latency_p50_ms', 'requests', 'nothing'].map((metric) => tooFewText(metric, measured))).toEqual([
      null,
      null,
      null,
    ]);
  });
});
