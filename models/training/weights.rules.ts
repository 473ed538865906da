import type { ExperimentConfig } from './experiment.types.js';

/** Weights that an attempt begins with. */
export interface AttemptWeights {
  readonly sha256: string;
  readonly source: ExperimentConfig['pretrained']['source'];
  /** Where they are; null unless they come from an address. */
  readonly url: string | null;
  /** Their name below `weights/` of the job. */
  readonly file: string;
  /** Where their copy is for as long as the attempt runs: hosts fetch it from the object store. */
  readonly objectKey: string;
}

const PLAIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Null where the attempt trains from scratch; so do those of releases that kept no sha256. */
export function attemptWeights(experiment: {
  readonly tenantId: string;
  readonly id: string;
  readonly attempt: number;
  readonly config: Pick<ExperimentConfig, 'model' | 'pretrained'>;
}): AttemptWeights | null {
  const { tenantId, id, attempt, config } = experiment;
  const { enabled, source, sha256, url } = config.pretrained;
  if (!enabled || !sha256) return null;
  const name = nameOf(config);
  return {
    ...{ sha256, source, url: source === 'url' ? url : null, file: PLAIN_NAME.test(name) ? name : 'weights' },
    objectKey: `t/${tenantId}/weights/${id}-${attempt}`,
  };
}

/** What the log calls them. */
function nameOf({ model, pretrained }: Pick<ExperimentConfig, 'model' | 'pretrained'>): string {
  const { source, model_name: name, version, url } = pretrained;
  if (source === 'model') return `${name}-${version}`;
  return source === 'url' ? (url?.split(/[?#]/)[0]?.split('/').at(-1) ?? '') : model;
}
