import type { FilePair, Pair } from '../../models/registry/compare-versions.rules.js';
import type { ModelFile } from '../../models/registry/model.types.js';
import { toVersionOut } from './models.mapper.js';
import type {
  FilePairOut,
  FileSideOut,
  MetricPairOut,
  VersionCompareOut,
} from './version-compare.schemas.js';
import type { VersionComparison } from './version-compare.service.js';

/** JSON has no NaN and no infinity. */
const finite = (value: number | null): number | null =>
  value !== null && Number.isFinite(value) ? value : null;

const toMetricPair = ({ name, ...sides }: Pair<number>): MetricPairOut => {
  const [from, to] = [finite(sides.from), finite(sides.to)];
  return { name, from, to, change: from === null || to === null ? null : to - from };
};

const toFileSide = (file: ModelFile | null): FileSideOut | null =>
  file && { size_bytes: file.sizeBytes, sha256: file.sha256 };

const toFilePair = ({ name, change, from, to }: FilePair): FilePairOut => ({
  path: name,
  change,
  from: toFileSide(from),
  to: toFileSide(to),
});

export const toCompareOut = (comparison: VersionComparison, registryHost: string): VersionCompareOut => ({
  name: comparison.from.version.name,
  from: toVersionOut(comparison.from.version, comparison.from.image, registryHost),
  to: toVersionOut(comparison.to.version, comparison.to.image, registryHost),
  metrics: comparison.metrics.map(toMetricPair),
  params: comparison.params.map(({ name, from, to }) => ({ name, from, to })),
  signature: {
    from: comparison.signature.from,
    to: comparison.signature.to,
    is_same: comparison.signature.isSame,
  },
  classes: {
    from: comparison.classes.from && [...comparison.classes.from],
    to: comparison.classes.to && [...comparison.classes.to],
    added: [...comparison.classes.added],
    removed: [...comparison.classes.removed],
  },
  files: comparison.files.map(toFilePair),
});
