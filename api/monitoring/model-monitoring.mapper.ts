import { P_THRESHOLD, PSI_THRESHOLD } from '../../models/monitoring/drift.rules.js';
import type { Bin } from '../../models/monitoring/histogram.rules.js';
import { wilsonInterval } from '../../models/monitoring/proportion.rules.js';
import type {
  DistributionBinOut,
  DistributionOut,
  PerformanceOut,
  VersionPerformanceOut,
} from './model-monitoring.schemas.js';
import type { DistributionView, Performance } from './model-monitoring.service.js';

export function toPerformanceOut(found: Performance): PerformanceOut {
  const versions = [...new Set(found.points.map(({ version }) => version))].sort((a, b) => a - b);
  return {
    name: found.name,
    range: found.range,
    step_s: found.stepS,
    sample_size: found.points.reduce((sum, { samples }) => sum + samples, 0),
    unmatched: found.unjudged,
    test: 'wilson_interval',
    threshold: found.threshold,
    versions: versions.map((version) => toVersion(found, version)),
    points: found.points.map(({ at, version, samples, hits }) => ({
      ...{ at: at.toISOString(), version, sample_size: samples, accuracy: hits / samples },
    })),
    message:
      found.points.length > 0 ? null : 'There is no feedback yet that judges a prediction of this range.',
  };
}

function toVersion({ points, threshold }: Performance, version: number): VersionPerformanceOut {
  const own = points.filter((point) => point.version === version);
  const samples = own.reduce((sum, point) => sum + point.samples, 0);
  const hits = own.reduce((sum, point) => sum + point.hits, 0);
  const { low, high } = wilsonInterval(hits, samples) ?? { low: 0, high: 1 };
  const below = threshold === null ? null : high < threshold;
  return { version, sample_size: samples, accuracy: hits / samples, low, high, below_threshold: below };
}

const toBin = ({ from, to, reference, current }: Bin): DistributionBinOut => ({
  label: typeof from === 'string' ? from : null,
  from: typeof from === 'number' ? from : null,
  to,
  reference,
  current,
});

export const toDistributionOut = (view: DistributionView): DistributionOut => ({
  name: view.version.name,
  version: view.version.version,
  feature: view.feature,
  baseline: view.baseline,
  range: view.range,
  sample_size: view.distribution.currentSize,
  baseline_sample_size: view.distribution.referenceSize,
  bins: view.distribution.bins.map(toBin),
  psi: { value: view.distribution.psi, threshold: PSI_THRESHOLD },
  test: {
    test: view.distribution.test,
    statistic: view.distribution.result?.statistic ?? null,
    p_value: view.distribution.result?.pValue ?? null,
    threshold: P_THRESHOLD,
  },
  drifted: view.distribution.drifted,
  message: view.message,
});
